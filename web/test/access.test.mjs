// What a visitor with a screen reader, a keyboard or a small screen needs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, settled, write } from "./visit.mjs";

before(begin);
after(end);

const focused = (page) => page.evaluate(() => document.activeElement.dataset.key ?? document.activeElement.id);

describe("access", { timeout: groupTime }, () => {
  test("the result of a step is announced when it changes", async () => {
    const { page, done } = await open();
    const told = page.locator('#told[aria-live="polite"]');
    await told.getByText("Step 2: 409, 1 conflict").waitFor({ state: "attached" });
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  shape: round\n");
    await told.getByText("Step 2: 200", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.press("Alt+ArrowLeft");
    await told.getByText("Step 1: 201", { exact: true }).waitFor({ state: "attached" });
    await done();
  });

  test("the focus stays in the page when what had it is hidden or disabled", async () => {
    const { page, done } = await open();
    await page.getByRole("link", { name: "See a conflict" }).press("Enter");
    await page.getByText("Opened “The first conflict”").waitFor();
    assert.equal(await focused(page), "page");
    await page.getByRole("button", { name: "Earlier" }).press("Enter");
    await settled(page);
    assert.equal(await focused(page), "later");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await focused(page), "earlier");
    await done();
  });
});
