// The comparison of patches for an edit of the object.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, end, example, live, open, row, tab, write } from "./visit.mjs";

before(begin);
after(end);

describe("the comparison of patches", { timeout: groupTime }, () => {
  test("makes four patches of one edit, with what follows, and adds one as a step", async () => {
    const { page, done } = await open();
    await example(page, "Taking over by force");
    await tab(page, "Compare patches").click();
    const intent = page.locator("#panel .editor .cm-content");
    await intent.waitFor();
    const edit = async (to) =>
      write(
        page,
        intent,
        (await page.locator("#object .cm-line").allTextContents()).join("\n").replace("replicas: 2", `replicas: ${to}`),
      );
    await edit(4);
    await page.locator(".patch", { hasText: "/spec/replicas" }).waitFor();
    assert.equal(await page.locator(".patch").count(), 4);
    assert.equal(await page.locator(".patch p.good").count(), 4);
    assert.equal(await page.locator(".patch").getByRole("button", { name: "kubectl" }).count(), 4);
    await write(page, intent, "a: [");
    await page.locator("#panel .problems li").waitFor();
    assert.equal(await page.locator(".patch").count(), 0, "the patches were of the text before");
    await edit(6);
    await page.locator(".patch", { hasText: "replicas: 6" }).first().waitFor();
    await page
      .locator(".patch", { hasText: "strategic merge patch" })
      .getByRole("button", { name: "Add as a step" })
      .click();
    await row(page, "replicas: 6").waitFor();
    await done();
  });

  test("the editor of the comparison keeps the focus when another result is shown", async () => {
    const { page, done } = await open();
    await example(page, "Taking over by force");
    await tab(page, "Compare patches").click();
    const intent = page.locator("#panel .editor .cm-content");
    await intent.waitFor();
    await intent.focus();
    const before = await intent.innerText();
    await page
      .getByRole("button", { name: "Run one step" })
      .filter({ visible: true })
      .evaluate((button) => button.click());
    await page.waitForFunction(
      (before) => document.querySelector("#panel .editor").shadowRoot.querySelector(".cm-content").innerText !== before,
      before,
    );
    assert.ok(await page.evaluate(() => document.activeElement.matches("#panel .editor")), "the editor has the focus");
    await done();
  });

  test("makes patches of a live object without a step, and adds their manager with the step", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await write(page, page.getByRole("dialog").locator(".cm-content"), live);
    await page.getByRole("dialog").getByRole("button", { name: "Start with this object" }).click();
    await row(page, "replicas: 7").waitFor();
    await tab(page, "Compare patches").click();
    const intent = page.locator("#panel .editor .cm-content");
    await intent.waitFor();
    assert.equal(await page.locator("#panel").getByLabel("Manager").inputValue(), "alice");
    await intent.getByText("replicas: 7").click();
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await page
      .locator(".patch", { hasText: "merge patch" })
      .first()
      .getByRole("button", { name: "Add as a step" })
      .click();
    await row(page, "replicas: 70").waitFor();
    assert.match(await page.locator("#story .step .chip").last().innerText(), /alice/);
    assert.match(await page.locator("#story .actors summary").innerText(), /alice/);
    await done();
  });
});
