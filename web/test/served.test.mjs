// The page as `patchlab playground` serves it: compressed, cached, and framed by other
// sites where its address allows that.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch } from "./browser.mjs";

const repository = new URL("../../", import.meta.url).pathname;
let folder, server, address, site, browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "patchlab-"));
  const program = join(folder, "patchlab");
  execFileSync("go", ["build", "-trimpath", "-o", program, "./cmd/patchlab"], { cwd: repository, stdio: "inherit" });
  server = spawn(program, ["playground", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  address = await new Promise((found, failed) => {
    server.stdout.on("data", (data) => {
      const [, url] = String(data).match(/(http:\S+\/)/) ?? [];
      if (url) found(url);
    });
    server.on("exit", (code) => failed(new Error(`patchlab playground ended with ${code}`)));
  });
  site = createServer((request, response) => {
    const src = new URL(request.url, "http://x").searchParams.get("frame");
    response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><title>a blog</title><iframe src="${src}" width="900" height="700"></iframe>`);
  });
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await new Promise((done) => site.close(done));
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** head asks as a browser does. */
const head = (path, headers) => new Promise((done, failed) => get(new URL(path, address), { headers }, (response) => {
  response.resume();
  response.on("end", () => done(response));
}).on("error", failed));

describe("the page as the command serves it", { timeout: 170_000 }, () => {
  test("comes with brotli, and is asked for again only where it may have changed", async () => {
    const first = await head("/", { "Accept-Encoding": "gzip, deflate, br, zstd" });
    assert.equal(first.headers["content-encoding"], "br");
    assert.equal((await head("/", { "Accept-Encoding": "br", "If-None-Match": first.headers.etag })).statusCode, 304);
    const context = await browser.newContext();
    const page = await context.newPage();
    const answered = [];
    page.on("response", (r) => answered.push(r));
    await page.goto(address);
    await page.locator("#loading").waitFor({ state: "hidden", timeout: 30_000 });
    const engine = answered.find((r) => r.url().endsWith(".wasm"));
    assert.equal(engine.headers()["content-encoding"], "br");
    assert.match(engine.headers()["cache-control"], /immutable/);
    assert.ok(Number(engine.headers()["content-length"]) < 2_000_000, "less than gzip makes of it");
    await context.close();
  });

  test("is framed by another site as an embedded page alone, also when it is loaded again", async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const visit = (path) => page.goto(`http://localhost:${site.address().port}/?frame=${encodeURIComponent(new URL(path, address))}`);
    for (let load = 0; load < 2; load++) {
      await visit("?embed");
      await page.frameLocator("iframe").locator("#object").waitFor({ state: "attached", timeout: 30_000 });
    }
    await visit("");
    await page.waitForLoadState();
    assert.equal(await page.frames()[1].evaluate(() => document.getElementById("object")), null);
    await context.close();
  });
});
