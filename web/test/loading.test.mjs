// The page without its host, its engine or JavaScript.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime, host } from "./browser.mjs";
import { address, begin, editor, end, newContext, shown, write } from "./visit.mjs";

before(begin);
after(end);

describe("the page without what it needs", { timeout: groupTime }, () => {
  test("works offline once loaded, under any path", async () => {
    const other = await host("/deep/er/");
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(other.url);
    await shown(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    other.state.offline = true;
    await page.reload();
    await shown(page);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("dialog").locator(".menu li").nth(11).waitFor();
    assert.ok(
      other.asked.every((path) => path.startsWith("/deep/er/")),
      other.asked.join(" "),
    );
    await context.close();
    await other.close();
  });

  test("shows a progress bar while the engine loads, and says so where it cannot", async () => {
    const context = await newContext();
    const page = await context.newPage();
    let go;
    const wait = new Promise((resolve) => (go = resolve));
    await context.route(/\.wasm$/, async (route) => {
      await wait;
      await route.abort();
    });
    await page.goto(address());
    await page.getByRole("progressbar").waitFor();
    assert.match(await page.locator("#start h2").innerText(), /See what Kubernetes will do/);
    assert.equal(await page.locator("#start .entries a").count(), 3);
    go();
    const why = /^The engine could not be started: the host cannot be reached \(.+\)\. Reload the page to try again\.$/;
    await page.locator("#loading").getByText(why).waitFor();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n");
    await page.locator("#panel .body").getByText(why).waitFor(); // in place of a result
    await context.close();
  });

  test("says without JavaScript that it needs it, and does not say that it loads", async () => {
    const context = await newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address());
    const { y } = await page.locator("noscript").boundingBox();
    assert.equal(y, 0, "it comes first");
    assert.equal(await page.locator("#loading").isVisible(), false);
    await context.close();
  });
});
