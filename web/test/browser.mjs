// Chromium and a host for the built page, for the tests.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { chromium } from "playwright-core";

/** The time in milliseconds after which a group of tests counts as hanging. A busy machine needs several times as long as an idle one. */
export const groupTime = 1_800_000;

/** The time in milliseconds to wait for something that appears in the page. */
export const waitTime = 240_000;

const dist = new URL("../dist/", import.meta.url).pathname;
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/octet-stream",
};

/**
 * host serves the page under a path of its own, as a static host does that knows
 * nothing of it. It refuses to serve when it is "offline". It adds the headers that are
 * given for an address.
 */
export async function host(path = "/some/where/", headers = () => ({})) {
  const asked = [];
  const state = { offline: false };
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    asked.push(url.pathname);
    let name = normalize(url.pathname.slice(path.length - 1));
    if (name.endsWith("/")) name += "index.html";
    const file = join(dist, name);
    if (state.offline || !url.pathname.startsWith(path) || !existsSync(file)) {
      response.writeHead(state.offline ? 503 : 404).end();
      return;
    }
    response
      .writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream", ...headers(url) })
      .end(readFileSync(file));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    url: `http://127.0.0.1:${server.address().port}${path}`,
    asked,
    state,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
  };
}

const places = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export async function launch(more = []) {
  const executablePath = places.find((p) => p && existsSync(p));
  if (!executablePath)
    throw new Error(
      "install Chromium to run the tests of the page: apt-get install chromium (or set CHROMIUM to its path)",
    );
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      ...more,
    ],
  });
}
