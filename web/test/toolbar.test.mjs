// The toolbar: what has no page of tests of its own.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, outcome, row, settled, shown } from "./visit.mjs";

before(begin);
after(end);

const dialog = (page) => page.getByRole("dialog");
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

describe("the toolbar", { timeout: groupTime }, () => {
  test("changes the theme, which a reload keeps", async () => {
    const { page, done } = await open({ colorScheme: "light" });
    const light = await background(page);
    await page.getByRole("button", { name: "More" }).click();
    await dialog(page).getByLabel("Theme").selectOption("dark");
    const dark = await background(page);
    assert.notEqual(dark, light);
    await page.reload();
    await shown(page);
    assert.equal(await background(page), dark);
    await page.getByRole("button", { name: "More" }).click();
    assert.equal(await dialog(page).getByLabel("Theme").inputValue(), "dark");
    await dialog(page).getByLabel("Theme").selectOption("system");
    assert.equal(await background(page), light);
    await done();
  });

  test("starts from scratch, which can be undone", async () => {
    const { page, done } = await open();
    await settled(page);
    assert.ok(await page.getByRole("button", { name: "Undo" }).isDisabled());
    await page.getByRole("button", { name: "More" }).click();
    await dialog(page).getByRole("button", { name: "Start from scratch" }).click();
    await page.getByText("step 1 of 1").first().waitFor();
    await outcome(page, 1).getByText("✓ 201").waitFor();
    assert.match(await editor(page).innerText(), /kind: ConfigMap/);
    await page.locator("#notices").getByRole("button", { name: "Undo" }).click();
    await row(page, "colour: blue.*bob wants").waitFor();
    await done();
  });
});
