// The page as `patchlab playground` serves it, for the tests and for the measurement of its speed.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitTime } from "./browser.mjs";

const repository = new URL("../../", import.meta.url).pathname;

/** command builds the command and serves its page. */
export async function command() {
  const folder = mkdtempSync(join(tmpdir(), "patchlab-"));
  const program = join(folder, "patchlab");
  execFileSync("go", ["build", "-trimpath", "-o", program, "./cmd/patchlab"], { cwd: repository, stdio: "inherit" });
  const server = spawn(program, ["playground", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, failed) => {
    server.stdout.on("data", (data) => {
      const [, url] = String(data).match(/(http:\S+\/)/) ?? [];
      if (url) found(url);
    });
    server.on("exit", (code) => failed(new Error(`patchlab playground ended with ${code}`)));
  });
  return {
    address,
    close() {
      server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * slowly opens a page as over a slow mobile connection, 1.6 Mbit/s with a latency of 150 ms. It returns
 * for the first text and the first result when they were there, in milliseconds, and how many
 * bytes of complete responses had come by then.
 */
export async function slowly(page, address) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 150,
    downloadThroughput: 1.6e6 / 8,
    uploadThroughput: 0.75e6 / 8,
  });
  await page.goto(address);
  const mark = async (name) => {
    const found = await page.waitForFunction((name) => performance.getEntriesByName(name)[0]?.startTime, name, {
      timeout: waitTime,
    });
    const time = await found.jsonValue();
    const bytes = await page.evaluate(
      (time) =>
        ["navigation", "resource"]
          .flatMap((type) => performance.getEntriesByType(type))
          .filter((entry) => entry.responseEnd > 0 && entry.responseEnd <= time)
          .reduce((sum, entry) => sum + entry.encodedBodySize, 0),
      time,
    );
    return { time, bytes };
  };
  return { text: await mark("first-contentful-paint"), result: await mark("patchlab first result") };
}
