// The page as `patchlab playground` serves it: compressed, cached, and framed by other
// sites where its address allows that.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, get } from "node:http";
import { after, before, describe, test } from "node:test";
import { groupTime, launch, waitTime } from "./browser.mjs";
import { layoutShift } from "./large.mjs";
import { command, slowly } from "./served.mjs";

const budget = JSON.parse(readFileSync(new URL("budget.json", import.meta.url)));
let server, address, site, browser;

before(async () => {
  server = await command();
  address = server.address;
  site = createServer((request, response) => {
    const src = new URL(request.url, "http://x").searchParams.get("frame");
    response
      .writeHead(200, { "Content-Type": "text/html" })
      .end(`<!doctype html><title>a blog</title><iframe src="${src}" width="900" height="700"></iframe>`);
  });
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await new Promise((done) => site.close(done));
  server?.close();
});

/** head asks as a browser does. */
const head = (path, headers) =>
  new Promise((done, failed) =>
    get(new URL(path, address), { headers }, (response) => {
      response.resume();
      response.on("end", () => done(response));
    }).on("error", failed),
  );

describe("the page as the command serves it", { timeout: groupTime }, () => {
  test("comes with brotli, and is asked for again only where it may have changed", async () => {
    const first = await head("/", { "Accept-Encoding": "gzip, deflate, br, zstd" });
    assert.equal(first.headers["content-encoding"], "br");
    assert.equal((await head("/", { "Accept-Encoding": "br", "If-None-Match": first.headers.etag })).statusCode, 304);
    const context = await browser.newContext();
    const page = await context.newPage();
    const answered = [];
    page.on("response", (r) => answered.push(r));
    await page.goto(address);
    await page.locator("#loading").waitFor({ state: "hidden", timeout: waitTime });
    for (const [end, type] of [
      [".wasm", "application/wasm"],
      [".bin", "application/octet-stream"],
      [".json", "application/json"],
    ]) {
      const headers = answered.find((r) => r.url().endsWith(end)).headers();
      assert.equal(headers["content-encoding"], "br");
      assert.equal(headers["content-type"], type);
      assert.match(headers["cache-control"], /immutable/);
      assert.ok(Number(headers["content-length"]) < 2_000_000, "less than gzip makes of it");
    }
    await context.close();
  });

  test("needs few bytes for something to read and for a first result, which do not wait for its engine on a slow network", async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    const { text, result } = await slowly(page, address);
    const waiting = await page.locator("#loading").isVisible();
    await page.locator("#loading").waitFor({ state: "hidden", timeout: waitTime });
    await page.waitForTimeout(500);
    const shift = await layoutShift(page);
    console.log(
      `at 1.6 Mbit/s: ${text.bytes} bytes before the text (budget ${budget.textBytes}), ${result.bytes} before the first result (budget ${budget.resultBytes}); layout shift ${shift.toFixed(4)}`,
    );
    assert.ok(text.bytes <= budget.textBytes, `${text.bytes} bytes before the text`);
    assert.ok(result.bytes <= budget.resultBytes, `${result.bytes} bytes before the first result`);
    assert.ok(waiting, "the result does not wait for the engine");
    assert.ok(shift < 0.02, `layout shift ${shift}`);
    await context.close();
  });

  test("is framed by another site as an embedded page alone, also when it is loaded again", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const visit = (path) =>
      page.goto(`http://localhost:${site.address().port}/?frame=${encodeURIComponent(new URL(path, address))}`);
    for (let load = 0; load < 2; load++) {
      await visit("?embed");
      await page.frameLocator("iframe").locator("#object").waitFor({ state: "attached", timeout: waitTime });
    }
    await visit("");
    await page.waitForLoadState();
    assert.equal(await page.frames()[1].evaluate(() => document.getElementById("object")), null);
    await context.close();
  });
});
