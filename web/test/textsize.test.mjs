// A text size of the browser that is larger than the usual one, and windows that are small for the text.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { beginWith, end, open, row, settled } from "./visit.mjs";

before(() => beginWith(["--blink-settings=defaultFontSize=24,defaultFixedFontSize=24"]));
after(end);

const views = ["story", "request", "object", "result"];

/** choose shows a part of the page, where a narrow screen shows one at a time. */
async function choose(page, name) {
  const button = page.locator(`#bar-views [data-view=${name}]`);
  if (await button.isVisible()) await button.click();
}

describe("with a text size of 24 pixels", { timeout: groupTime }, () => {
  test("all text is half as large again", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Close the introduction" }).click();
    const small = await page.evaluate(() => {
      const deep = (root) =>
        [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
      const own = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim() !== "");
      // The letters of owners are the smallest text, 10.5 pixels at a text size of 16.
      return deep(document.body)
        .filter((e) => own(e) && e.checkVisibility() && parseFloat(getComputedStyle(e).fontSize) < 10.5 * 1.5)
        .map((e) => e.outerHTML.slice(0, 90));
    });
    assert.deepEqual(small, []);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).fontSize), "21px");
    assert.equal(await row(page, "colour: blue").evaluate((e) => getComputedStyle(e).fontSize), "19.5px");
    await done();
  });

  for (const width of [320, 768, 1440]) {
    test(`nothing is wider than a window of ${width} pixels, or covers what one reads`, async () => {
      const { page, done } = await open({ viewport: { width, height: 900 } });
      const close = page.getByRole("button", { name: "Close the introduction" });
      const tooWide = () =>
        page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(await tooWide(), 0, "with the introduction");
      await close.click();
      for (const view of views) {
        await choose(page, view);
        assert.equal(await tooWide(), 0, view);
      }
      await choose(page, "request");
      await page.getByRole("combobox", { name: "Request", exact: true }).selectOption("force-apply");
      await settled(page);
      assert.equal(await tooWide(), 0, "with the longest type of request");
      await choose(page, "object");
      const lines = await page.locator("#object .listing").boundingBox();
      assert.ok(lines.height > 150, `the object has ${lines.height} pixels`);
      for (const name of ["Examples", "Lessons", "Paste object", "CRDs", "Share", "More", "Help"]) {
        const button = page.locator("#tools").getByRole("button", { name, exact: true });
        const inMore = !(await button.isVisible());
        await (inMore ? page.getByRole("button", { name: "More", exact: true }) : button).click();
        if (inMore) await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
        const beside = await page.getByRole("dialog").evaluate((e) => e.scrollWidth - e.clientWidth);
        assert.equal(beside, 0, `the dialog ${name} scrolls sideways`);
        await page.getByRole("button", { name: "Close", exact: true }).click();
      }
      const labels = await page
        .locator("#bar-views button")
        .evaluateAll((all) => all.filter((b) => b.scrollWidth > b.clientWidth).map((b) => b.textContent));
      assert.deepEqual(labels, [], "labels that are wider than their buttons");
      await done();
    });
  }

  test("a low window scrolls all of the page, so that its bar hides nothing", async () => {
    const { page, done } = await open({ viewport: { width: 360, height: 225 } });
    await page.getByRole("button", { name: "Close the introduction" }).click();
    await page.locator("#request .cm-content").scrollIntoViewIfNeeded();
    await page.keyboard.press("Alt+ArrowLeft");
    await settled(page);
    await page.locator("#request .cm-content").evaluate((e) => e.scrollIntoView());
    assert.ok(
      await page.evaluate(() => document.getElementById("bar").getBoundingClientRect().bottom <= 0),
      "the bar has scrolled away",
    );
    await done();
  });
});
