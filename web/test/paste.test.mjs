// The dialog in which objects are pasted: with the keyboard only, and with very large texts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, drop, editor, end, live, open, row, settled, write } from "./visit.mjs";

before(begin);
after(end);

const crd = readFileSync(new URL("../../testdata/crds/widgets.yaml", import.meta.url), "utf8");

/** many returns a stream of ConfigMaps, of which the last has an unknown kind. */
const many = (n) =>
  Array.from(
    { length: n },
    (_, i) =>
      `apiVersion: v1\nkind: ${i === n - 1 ? "ConfigMpa" : "ConfigMap"}\nmetadata:\n  name: settings-${i}\n  namespace: team-${i % 40}\ndata:\n  motto: ${"the quick brown fox jumps over the lazy dog ".repeat(6).trim()}\n`,
  ).join("---\n");

/** fill opens the dialog and puts a text into its editor. */
async function fill(page, text) {
  await page.getByRole("button", { name: "Paste object" }).click();
  const dialog = page.getByRole("dialog");
  await write(page, dialog.locator(".cm-content"), text);
  return dialog;
}

describe("the paste dialog", { timeout: groupTime }, () => {
  test("closes with Escape from its editor, and Tab leaves the editor", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await dialog.count(), 0);
    assert.equal(
      await page.evaluate(() => document.activeElement.ariaLabel),
      "Paste object",
      "the focus is where it was",
    );
    await fill(page, live);
    await dialog.getByRole("button", { name: "Start with this object" }).waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Start with this object");
    await page.keyboard.press("Enter");
    await row(page, "replicas: 7").waitFor();
    await page.getByRole("button", { name: "CRDs" }).press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await dialog.count(), 0);
    await done();
  });

  test("shows at once that it reads a large text, and lists what can be found by a filter", async () => {
    const { page, done } = await open();
    const dialog = await fill(page, many(30_000));
    assert.match(await dialog.locator(".found").innerText(), /Reading 1\d MB…/);
    await dialog.getByText("30,000 objects, 1 of unknown kinds").waitFor();
    assert.equal(await dialog.locator(".found li").count(), 30);
    assert.match(
      await dialog.locator(".found li").first().innerText(),
      /ConfigMpa settings-29999.*did you mean ConfigMap/s,
    );
    await dialog.getByText("and 29,970 more").waitFor();
    await dialog.getByLabel("Filter the objects").fill("settings-7771 team-11");
    await dialog.getByText("1 match", { exact: true }).waitFor();
    assert.equal(await dialog.getByRole("button", { name: "Start with these" }).count(), 0, "too many");
    await dialog.getByRole("button", { name: "Only this one: ConfigMap settings-7771" }).click();
    await page.locator("#object h2", { hasText: "ConfigMap settings-7771" }).waitFor();
    assert.equal(await page.locator("#story .live-object").count(), 1);
    await done();
  });

  test("offers manifests of the object that was pasted last, also if it differs only in its name", async () => {
    const { page, done } = await open();
    const manifest = async (name) => {
      const dialog = await fill(page, live.replace("name: web\n  namespace", `name: ${name}\n  namespace`));
      await dialog.getByRole("button", { name: "Start with this object" }).click();
      await page.locator("#object h2", { hasText: name }).waitFor();
      await page.getByRole("button", { name: "Write the manifest" }).waitFor();
      await settled(page);
    };
    await manifest("web-1");
    await manifest("web-2");
    await page.getByRole("button", { name: "Write the manifest" }).click();
    await editor(page).getByText("name: web-2").waitFor();
    await done();
  });

  test("opens many objects, which can be filtered by their names, namespaces and managers", async () => {
    const { page, done } = await open();
    const dialog = await fill(
      page,
      Array.from({ length: 12 }, (_, i) =>
        live.replace("name: web\n  namespace: shop", `name: web-${i}\n  namespace: ${i % 2 ? "shop" : "billing"}`),
      ).join("---\n"),
    );
    await dialog.getByRole("button", { name: "Start with these objects" }).click();
    const objects = page.getByRole("list", { name: "Live objects" }).getByRole("listitem");
    await objects.nth(11).waitFor();
    const filter = page.getByRole("searchbox", { name: "Filter the live objects" });
    await filter.fill("BILLING web-1");
    await page.getByText("1 of 12").waitFor();
    assert.match(await objects.textContent(), /web-10 billing/);
    await objects.getByRole("button").click();
    await page.locator("#object h2", { hasText: "web-10" }).waitFor();
    await filter.fill("nobody");
    await page.getByText("0 of 12").waitFor();
    await filter.fill("");
    await objects.nth(11).waitFor();
    await done();
  });

  test("leads from the object to the form for a manifest on a narrow screen", async () => {
    const { page, done } = await open({ viewport: { width: 390, height: 844 } });
    const dialog = await fill(page, live);
    await dialog.getByRole("button", { name: "Start with this object" }).click();
    await page.locator("#object h2", { hasText: "web" }).waitFor();
    await settled(page);
    await page.locator("#object").getByRole("button", { name: "Apply a manifest" }).click();
    const submit = page.getByRole("button", { name: "Write the manifest" });
    assert.ok(await submit.evaluate((e) => e === document.activeElement));
    await page.setViewportSize({ width: 1280, height: 720 });
    assert.equal(
      await page.locator("#object").getByRole("button", { name: "Apply a manifest" }).isVisible(),
      false,
      "beside the form",
    );
    await done();
  });

  test("keeps its buttons in view below a long list, and messages off them", async () => {
    const { page, done } = await open({ viewport: { width: 1280, height: 720 } });
    const dialog = await fill(page, many(100));
    const button = dialog.getByRole("button", { name: "Start with these objects" });
    await button.waitFor();
    await dialog.getByRole("button", { name: "Copy", exact: true }).click();
    const message = await dialog.locator(".notice").boundingBox();
    const { y, height } = await button.boundingBox();
    assert.ok(y + height <= 720 - 24, "within the dialog");
    assert.ok(message.y + message.height <= y, "not covered");
    await done();
  });

  test("can be closed while it reads; the page does not wait for the rest", async () => {
    const { page, done } = await open();
    const dialog = await fill(page, many(40_000));
    await dialog.getByText("Reading").waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await dialog.count(), 0);
    const begun = Date.now();
    await page.keyboard.press("Alt+ArrowLeft");
    await page.locator('#panel[aria-busy="false"]').waitFor({ state: "attached" });
    await row(page, "colour: blue").waitFor();
    assert.equal(await page.locator("#object .cm-line.conflict").count(), 0);
    assert.equal(await page.locator("#panel").getByText("No result").count(), 0, `after ${Date.now() - begun} ms`);
    await done();
  });

  test("keeps the text of manifests, with their comments", async () => {
    const { page, done } = await open();
    const one = "# what it is for\nkind: ConfigMap\napiVersion: v1\nmetadata: {name: one} # short\n";
    const two = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: two # long\n";
    const dialog = await fill(page, `${one}---\n${two}`);
    await dialog.getByRole("button", { name: "Apply them as the first steps" }).click();
    await settled(page);
    const text = () =>
      page.locator("#request .cm-line").evaluateAll((lines) => lines.map((l) => l.textContent).join("\n"));
    assert.equal(await text(), one);
    await page.keyboard.press("Alt+ArrowRight");
    await settled(page);
    assert.equal(await text(), two);
    await done();
  });

  test("shows an object that is added to a scenario with several objects in one text", async () => {
    const { page, done } = await open();
    const named = (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, uid: u-${name}}\n`;
    const texts = [`${named("a")}---\n${named("b")}`, named("c")];
    const dialog = await fill(
      page,
      JSON.stringify({
        scenario: "patchlab.dev/v1",
        objects: texts,
        actors: [{ name: "alice" }],
        steps: [{ actor: "alice", do: "apply", body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" }],
      }),
    );
    await dialog.getByRole("button", { name: "Open the scenario" }).click();
    await settled(page);
    await fill(page, named("d"));
    await dialog.getByRole("button", { name: "Add to this scenario" }).click();
    await settled(page);
    await page.locator("#object h2", { hasText: "ConfigMap d" }).waitFor();
    assert.match(await page.locator(".live-object.selected").innerText(), /ConfigMap d/);
    await done();
  });

  test("offers to start with one of several objects", async () => {
    const { page, done } = await open();
    const dialog = await fill(
      page,
      `${live}---\n${live.replaceAll("name: web\n  namespace", "name: other\n  namespace")}`,
    );
    await dialog.getByRole("button", { name: "Start with these objects" }).waitFor();
    await dialog.getByRole("button", { name: "Only this one: Deployment other" }).click();
    await page.locator("#object h2", { hasText: "Deployment other" }).waitFor();
    await done();
  });

  test("does not take manifests for live objects", async () => {
    const { page, done } = await open();
    const settings = (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
    const dialog = await fill(page, `${settings("a")}---\n${settings("b")}`);
    await dialog.getByRole("button", { name: "Start with these objects" }).click();
    await page.getByText("Opened 2 manifests.").waitFor();
    await page.getByText("The manifest, as pasted").waitFor();
    await done();
  });

  test("takes what is in a code fence", async () => {
    const { page, done } = await open();
    const dialog = await fill(page, `\n\`\`\`yaml\n${live}\`\`\`\nand so on: [\n`);
    await dialog.getByRole("button", { name: "Start with this object" }).click();
    await row(page, "replicas: 7").waitFor();
    await done();
  });

  test("makes steps that name their objects if there are several", async () => {
    const { page, done } = await open();
    const step = page.locator(".steps .step .do");
    assert.equal(await step.first().textContent(), "server-side apply");
    const settings = (name) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
    const dialog = await fill(page, `${settings("a")}---\n${settings("b")}`);
    await dialog.getByRole("button", { name: "Apply them as the first steps" }).click();
    await step.getByText("server-side apply · ConfigMap/a", { exact: true }).waitFor();
    await step.getByText("server-side apply · ConfigMap/b", { exact: true }).waitFor();
    await done();
  });

  test("takes a file in UTF-16, as PowerShell writes it, and the lines of Windows", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    const dialog = page.getByRole("dialog");
    const text = live.replaceAll("\n", "\r\n");
    await dialog.locator("input[type=file]").setInputFiles({
      name: "live.yaml",
      mimeType: "application/yaml",
      buffer: Buffer.from(`\ufeff${text}`, "utf16le"),
    });
    await dialog.getByRole("button", { name: "Start with this object" }).click();
    await row(page, "replicas: 7").waitFor();
    await done();
  });

  test("takes what a command printed, below the command and its prompt", async () => {
    const { page, done } = await open();
    const dialog = await fill(page, `me@laptop:~$ kubectl get deployment/web -o yaml --show-managed-fields\n${live}`);
    await dialog.getByText("2 managers").waitFor();
    await write(page, dialog.locator(".cm-content"), `kubectl get deployment/web -o yaml\n${live}  [`);
    await dialog.getByRole("button", { name: `line ${live.split("\n").length + 1}` }).waitFor(); // lines keep their numbers
    await done();
  });

  test("takes an object with a field that is named like a scenario file's", async () => {
    for (const text of [
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  scenario: production\n",
      '{\n  "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"},\n  "data":\n  {\n    "scenario": "production"\n  }\n}\n',
    ]) {
      const { page, done } = await open();
      await drop(page.locator("#object"), text);
      await page.getByRole("dialog").getByText("ConfigMap x").waitFor();
      await done();
    }
  });

  test("replaces a definition that is pasted again", async () => {
    const { page, done } = await open();
    for (const choice of ["Start with this object", "Start with this object", "Add to this scenario"]) {
      const dialog = await fill(
        page,
        `${crd}---\napiVersion: lab.example.com/v1\nkind: Widget\nmetadata: {name: w, uid: u}\nspec: {}\n`,
      );
      await dialog.getByRole("button", { name: choice }).click();
      await settled(page);
      if (choice.startsWith("Start")) {
        await page.getByRole("button", { name: "Write the manifest" }).click();
        await settled(page);
      }
    }
    await page.getByRole("button", { name: "CRDs (1)", exact: true }).waitFor();
    await done();
  });

  test("shows what it found and its first button on a small screen", async () => {
    const { page, done } = await open({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Paste object" }).click();
    const dialog = page.getByRole("dialog");
    await write(page, dialog.locator(".cm-content"), live);
    const { y, height } = await dialog.getByRole("button", { name: "Start with this object" }).boundingBox();
    assert.ok(y + height <= 640, `it ends at ${y + height}`);
    await done();
  });

  test("reports files that it cannot read, and takes the others", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    const dialog = page.getByRole("dialog");
    const choose = (name, buffer) =>
      dialog.locator("input[type=file]").setInputFiles({ name, mimeType: "application/yaml", buffer });
    await choose("huge.yaml", Buffer.alloc((16 << 20) + 1, "#"));
    await dialog.getByText("huge.yaml is larger than 16 MiB.").waitFor();
    await page.evaluate(() => {
      // a folder cannot be read either
      const { arrayBuffer } = Blob.prototype;
      Blob.prototype.arrayBuffer = function () {
        return this.name === "folder" ? Promise.reject(new Error("it is a folder")) : arrayBuffer.call(this);
      };
    });
    await choose("folder", Buffer.from(""));
    await dialog.getByText("folder cannot be read. If it is a folder, choose the files in it.").waitFor();
    await choose("live.yaml", Buffer.from(live));
    await dialog.getByText("2 managers").waitFor();
    await done();
  });
});
