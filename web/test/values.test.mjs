// Values that are unusual: long ones, and those with characters that cannot be seen.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, owned, row, write } from "./visit.mjs";

before(begin);
after(end);

const manifest = (value) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  annotations:\n    note: ${value}\ndata:\n  mood: calm\n`;

describe("unusual values", { timeout: groupTime }, () => {
  test("a line of 10,000 characters is painted once, and the lines after it too", async () => {
    const { page, done } = await open();
    await write(page, editor(page), manifest("x".repeat(10_000)));
    await row(page, "mood: calm").locator(".tok-key").waitFor();
    const line = row(page, "note: x+");
    await line.locator(".tok-str").first().waitFor();
    await page.locator("#object .cm-scroller").evaluate((e) => (e.scrollLeft = 40_000));
    await row(page, "mood: calm").click({ position: { x: 2, y: 2 }, force: true });
    await write(page, editor(page), manifest("y".repeat(10_000)));
    await page.locator("#object .cm-scroller").evaluate((e) => (e.scrollLeft = 0)); // the click may not have scrolled back, and what is beside the view has no text
    await row(page, "note: .*y+").waitFor();
    assert.equal(await row(page, "mood: calm").locator(".tok-key").count(), 1);
    await owned(page, "mood: calm", "B");
    await done(); // fails if a plugin of the editor has crashed
  });

  test("characters that cannot be seen are escaped in the result and in conflicts", async () => {
    const { page, done } = await open();
    await write(
      page,
      editor(page),
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: "good\u202Elive"\n',
    );
    await page.locator("#panel .conflicts", { hasText: 'wants "good\\u202Elive"' }).waitFor();
    await page.getByRole("group", { name: "Conflict at .data.colour" }).getByText('"good\\u202Elive"').waitFor();
    await row(page, "colour: blue.*bob wants").filter({ hasText: "good\\u202Elive" }).waitFor();
    await page.getByRole("combobox", { name: "Request" }).selectOption("force-apply");
    await page.locator("#panel ins", { hasText: "good\\u202Elive" }).waitFor();
    assert.equal(await page.locator("#panel").getByText("\u202E").count(), 0);
    await row(page, "colour: good.*live").locator(".cm-specialChar").waitFor();
    await done();
  });
});
