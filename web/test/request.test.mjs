// The steps: typing, types of request, managers, definitions, and what cannot be read.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import {
  begin,
  drop,
  editor,
  end,
  example,
  forward,
  open,
  outcome,
  owned,
  row,
  settled,
  shown,
  write,
} from "./visit.mjs";

before(begin);
after(end);

const crd = readFileSync(new URL("../../testdata/crds/widgets.yaml", import.meta.url), "utf8");

describe("the request", { timeout: groupTime }, () => {
  test("runs what is typed as it is typed, marks mistakes, and keeps all on reload", async () => {
    const { page, done } = await open();
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  shape: square\n";
    await write(page, editor(page), text);
    await row(page, "shape: square").waitFor();
    await outcome(page, 2).getByText("✓ 200").waitFor();
    await write(page, editor(page), text + "spice: hot\n");
    await page.locator(".problems", { hasText: "line 7" }).waitFor();
    await page.locator("#request .cm-bad", { hasText: "spice: hot" }).waitFor();
    await write(page, editor(page), text.replace("ConfigMap", "ConfigMpa"));
    await page.locator(".problems", { hasText: "did you mean ConfigMap (v1)?" }).waitFor();
    await page.locator("#request .cm-bad", { hasText: "kind:" }).waitFor();
    await write(page, editor(page), text + "  n: north\n");
    await page.locator(".problems .hint", { hasText: /line 7.*the key n is a boolean\. Put it in quotes/ }).waitFor();
    await write(page, editor(page), text + "  script: |\n    n: north\n");
    await row(page, "script:").waitFor();
    assert.equal(await page.locator(".problems .hint").count(), 0, "a text is no key");
    await write(page, editor(page), text + "  a: [\n");
    await page.locator(".problems", { hasText: "YAML" }).waitFor();
    await page.reload();
    await shown(page);
    assert.match(await editor(page).innerText(), /a: \[/);
    await editor(page).focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("]}", { delay: 20 }); // keys, not a paste
    await page.keyboard.press("Backspace");
    await page.locator(".problems", { hasText: "line 7" }).waitFor();
    await done();
  });

  test("keeps what is typed while a request is converted", async () => {
    const { page, done } = await open();
    await page.evaluate(() => {
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message, transfer) {
        const converts =
          message.kind === "ask" && new TextDecoder().decode(message.request).startsWith('{"call":"convert"');
        if (converts) setTimeout(() => postMessage.call(this, message, transfer), 1000);
        else postMessage.call(this, message, transfer);
      };
    });
    await page.getByRole("combobox", { name: "Request" }).selectOption("merge-patch");
    await write(page, editor(page), "data: {mood: calm}\n");
    await row(page, "mood: calm").waitFor();
    assert.match(await editor(page).innerText(), /^data: \{mood: calm\}/);
    assert.equal(await page.getByRole("combobox", { name: "Request" }).inputValue(), "merge-patch");
    await done();
  });

  test("offers to undo a change until there is another", async () => {
    const { page, done } = await open();
    const request = page.getByRole("combobox", { name: "Request" });
    const offer = page.locator("#notices", { hasText: "Converted to a merge patch" });
    for (const next of [
      () => request.selectOption("delete"),
      async () => {
        await editor(page).focus();
        await page.keyboard.press("End");
        await page.keyboard.type(" ");
      },
      () => page.getByRole("button", { name: "Duplicate" }).click(),
    ]) {
      await example(page, "The first conflict");
      await forward(page);
      await request.selectOption("merge-patch");
      await offer.waitFor();
      await page.keyboard.press("Alt+Home"); // looking at another state changes nothing
      await page.keyboard.press("Alt+End");
      await settled(page);
      assert.equal(await offer.count(), 1);
      await next();
      await offer.waitFor({ state: "detached" });
    }
    await done();
  });

  test("adds actors and steps of every kind of request, and converts one to another", async () => {
    const { page, done } = await open();
    await page.locator(".fold.actors summary").click();
    await page.getByRole("button", { name: "+ Manager" }).click();
    await page.getByRole("button", { name: "+ Step as carol" }).click();
    await page.getByText("step 3 of 3").first().waitFor();
    const kinds = await page
      .getByRole("combobox", { name: "Request" })
      .locator("option")
      .evaluateAll((list) => list.map((o) => o.value));
    assert.deepEqual(kinds, [
      "apply",
      "force-apply",
      "client-side-apply",
      "create",
      "update",
      "json-patch",
      "merge-patch",
      "strategic-patch",
      "delete",
    ]);
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  mood: calm\n",
    );
    await owned(page, "mood: calm", "C");
    await page.getByRole("combobox", { name: "Request" }).selectOption("merge-patch");
    await page.getByText("Converted to a merge patch").waitFor();
    assert.doesNotMatch(await editor(page).innerText(), /apiVersion/);
    await owned(page, "mood: calm", "C");
    await page.getByLabel("Colour").nth(2).selectOption("purple");
    await page.locator('#object .rows [data-colour="purple"]').first().waitFor();
    await page.getByLabel("Name", { exact: true }).nth(2).fill("dora");
    await page.keyboard.press("Tab");
    await owned(page, "mood: calm", "D");
    await page.getByRole("button", { name: "Earlier" }).click();
    await page.getByText("step 2 of 3").first().waitFor();
    await page.locator("#request").getByRole("button", { name: "Remove" }).click();
    await page.getByText("step 1 of 2").first().waitFor();
    await done();
  });

  test("takes definitions of custom resources by paste and by drop, and other Kubernetes versions", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "CRDs" }).click();
    const dialog = page.getByRole("dialog");
    await write(page, dialog.locator(".cm-content"), "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.locator(".problems", { hasText: "expected a CustomResourceDefinition" }).waitFor();
    await drop(dialog.locator(".drop"), crd);
    await dialog.locator("li", { hasText: "widgets." }).waitFor();
    await dialog.getByRole("button", { name: "Edit" }).click();
    assert.equal(
      await dialog.locator("li", { hasText: "widgets." }).count(),
      1,
      "it remains until its new text is added",
    );
    await dialog.locator(".cm-content", { hasText: "widgets" }).waitFor();
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.locator(".cm-content", { hasNotText: "widgets" }).waitFor();
    assert.equal(await dialog.locator("li").count(), 1);
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "CRDs (1)" }).waitFor();
    await page.locator("#tools").getByLabel("Kubernetes").selectOption("1.30");
    await outcome(page, 1).getByText("✓ 201").waitFor();
    await done();
  });

  test("is no program's way in: what is typed is shown as text", async () => {
    const { page, done } = await open();
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await write(
      page,
      editor(page),
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  evil: '${evil}'\n`,
    );
    await page.locator("#object .cm-line", { hasText: "onerror" }).waitFor();
    await page.locator("#panel .changes", { hasText: "onerror" }).waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.match(await page.title(), /patchlab playground$/);
    await done();
  });

  test("survives bad input: nested braces, no UTF-8, and goes on", async () => {
    const { page, done } = await open();
    await write(page, editor(page), "{".repeat(3 << 20));
    await page.locator(".problems li", { hasText: "nests deeper" }).waitFor();
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  after: all\n",
    );
    await row(page, "after: all").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page
      .getByRole("dialog")
      .locator("input[type=file]")
      .setInputFiles({ name: "bad.yaml", mimeType: "application/yaml", buffer: Buffer.from([0x61, 0x3a, 0xff, 0xfe]) });
    await page.getByText("bad.yaml is not UTF-8 text").waitFor();
    await row(page, "after: all").waitFor();
    await done();
  });

  test("refuses names of managers that are empty or taken, and keeps managers that have steps", async () => {
    const { page, done } = await open();
    await page.locator(".fold.actors summary").click();
    for (const [name, message] of [
      ["alice", "There is already a manager named alice."],
      ["  ", "A manager needs a name."],
    ]) {
      await page.getByLabel("Name", { exact: true }).nth(1).fill(name);
      await page.keyboard.press("Tab");
      await page.getByText(message).waitFor();
      assert.equal(await page.getByLabel("Name", { exact: true }).nth(1).inputValue(), "bob");
    }
    await page.getByRole("button", { name: "Remove bob" }).click();
    await page.getByText("bob has steps. Assign them to another manager or remove them first.").waitFor();
    await page.locator("#request").getByLabel("Manager").selectOption("alice");
    await page.getByRole("button", { name: "Remove bob" }).click();
    await page.getByText("Removed bob.").waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).count(), 1);
    await done();
  });
});
