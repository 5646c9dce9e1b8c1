// The result of a step: changes with their reasons, refusals, and managedFields.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, example, forward, live, open, row, settled, tab, write } from "./visit.mjs";

before(begin);
after(end);

describe("the result", { timeout: groupTime }, () => {
  test("lists what happened, with owners before and after, and why", async () => {
    const { page, done } = await open();
    await example(page, "Taking over by force");
    await forward(page);
    const change = page.locator(".changes li", { hasText: ".spec.replicas" });
    await change.getByText("apply/transfer").waitFor();
    assert.match(await change.textContent(), /taken over.*2 → 5.*alice\s*→.*bob/s);
    assert.match(await change.getByRole("link").getAttribute("href"), /rules\.md/);
    await change.getByRole("button").click();
    await page.locator("#object .cm-line.current", { hasText: "replicas: 5" }).waitFor();
    await forward(page);
    await page.locator("#panel").getByText("apply/conflict").waitFor();
    await done();
  });

  test("lists changes as such, also those that are not shown at first", async () => {
    const { page, done } = await open();
    const data = Array.from({ length: 80 }, (_, i) => `  k${i}: v\n`).join("");
    await write(page, editor(page), `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many\ndata:\n${data}`);
    await page.locator("#object h2", { hasText: "ConfigMap many" }).waitFor();
    await page.getByRole("button", { name: "+ Step as alice" }).click();
    await page.locator("#panel h3", { hasText: "80 fields changed. The first 60:" }).waitFor(); // what follows counts these
    await page.locator("#panel").getByText("apply/share").first().waitFor();
    assert.equal(await page.locator("#panel").getByText("Not applied as requested").count(), 0);
    await page.locator("#panel .changes li", { hasText: "60 fields" }).waitFor();
    await page.getByRole("button", { name: "Show the other 20" }).click();
    await page.locator("#panel .changes li", { hasText: "80 fields" }).waitFor();
    assert.equal(await page.locator("#panel h3").first().innerText(), "80 fields changed");
    await done();
  });

  test("says of a refused creation that there is no object", async () => {
    const { page, done } = await open();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\nspice: hot\n");
    await page.locator("#panel").getByText("No object was created or changed.").waitFor();
    await done();
  });

  test("lists the causes of a refusal", async () => {
    const { page, done } = await open();
    const file = `scenario: patchlab.dev/v1
actors: [{name: a}]
steps:
- {actor: a, do: apply, body: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: A, labels: {b: '-'}}\\n"}
`;
    await page.getByRole("button", { name: "More" }).click();
    await page
      .getByRole("dialog")
      .locator("input[type=file]")
      .setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
    await page.getByText('ConfigMap "A" is invalid:', { exact: true }).waitFor();
    const causes = await page.locator(".message li").allTextContents();
    assert.equal(causes.length, 2);
    assert.match(causes[0], /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain must/);
    assert.match(causes[1], /^metadata\.labels: Invalid value: "-": a valid label must/);
    await done();
  });

  test("says of a patch that cannot be applied that it cannot, not that the object is invalid", async () => {
    const { page, done } = await open();
    await page.getByRole("combobox", { name: "Request" }).selectOption("json-patch");
    await page
      .getByText("Converted to a JSON patch that sets the same values; a JSON patch does not check owners.")
      .waitFor();
    const verdict = page.locator("#panel .verdict");
    for (const [patch, want] of [
      ['[{"op": "test", "path": "/data/colour", "value": "red"}]', "the patch cannot be applied to the object"],
      ['[{"op": "increment", "path": "/data/colour"}]', "the patch cannot be applied to the object"],
      ['[{"op": "add", "path": "/metadata/labels", "value": {"a": "-"}}]', "the object would be invalid"],
    ]) {
      await write(page, editor(page), patch);
      await verdict.getByText(`Refused: ${want}.`).waitFor();
      if (want.startsWith("the patch")) await page.locator("#panel .changes li", { hasText: "operation 0" }).waitFor();
    }
    await done();
  });

  test("says why there is no result, and shows none of before", async () => {
    const { page, done } = await open();
    await page.getByText("409").first().waitFor();
    const deep = `a: ${"[".repeat(600)}${"]".repeat(600)}\n`;
    await write(page, editor(page), deep);
    await page.locator(".problems", { hasText: "500 levels" }).waitFor();
    await settled(page);
    assert.match(await page.locator("#panel .verdict").innerText(), /not a complete request/);
    await done();
  });

  test("shows managedFields as a tree and raw", async () => {
    const { page, done } = await open();
    await tab(page, "managedFields").click();
    await page.locator(".trees code.owned", { hasText: ".colour" }).waitFor();
    await page.getByRole("button", { name: "Raw" }).click();
    await page.locator("#panel pre", { hasText: "fieldsType: FieldsV1" }).waitFor();
    await done();
  });

  test("leads to the line of a change, also after the line has moved", async () => {
    const { page, done } = await open();
    const manifest = (more) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n${more}  shape: round\n`;
    const current = page.locator("#object .cm-line.current");
    const shape = page.locator("#panel .changes").getByRole("button", { name: ".data.shape" });
    await write(page, editor(page), manifest("  a: '1'\n"));
    await shape.click();
    await current.getByText("shape: round").waitFor();
    await write(page, editor(page), manifest("  a: '1'\n  b: '2'\n  c: '3'\n"));
    await row(page, "c: ").waitFor();
    await settled(page);
    await shape.click();
    await current.getByText("shape: round").waitFor();
    await done();
  });

  test("says of a new object that the live one of its name is in another namespace", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await write(page, page.getByRole("dialog").locator(".cm-content"), live);
    await page.getByRole("dialog").getByRole("button", { name: "Start with this object" }).click();
    await page.getByRole("button", { name: "Write the manifest" }).click();
    const manifest = (namespace) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: ${namespace}\nspec:\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: nginx}]}\n`;
    const warning = page.locator("#panel .warning", {
      hasText: "Deployment web is in the namespace shop, and the step is for prod.",
    });
    await write(page, editor(page), manifest("prod"));
    await warning.waitFor();
    await write(page, editor(page), manifest("shop"));
    await warning.waitFor({ state: "detached" });
    await done();
  });
});
