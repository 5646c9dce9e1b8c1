// What a page of another site can do to `patchlab serve` in a real browser: nothing.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { launch } from "./browser.mjs";

const repository = new URL("../../", import.meta.url).pathname;
const object = JSON.stringify({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "planted", namespace: "default" },
});

let folder, server, address, site, browser;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "patchlab-"));
  const program = join(folder, "patchlab");
  execFileSync("go", ["build", "-trimpath", "-o", program, "./cmd/patchlab"], { cwd: repository, stdio: "inherit" });
  server = spawn(program, ["serve", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  address = await new Promise((found, failed) => {
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      const [, url] = text.match(/serving on (\S+)\n/) ?? [];
      if (url) found(url);
    });
    server.on("exit", (code) => failed(new Error(`patchlab serve ended with ${code}`)));
  });
  site = createServer((_, response) =>
    response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>another site</title>"),
  );
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  browser = await launch(["--host-resolver-rules=MAP attacker.test 127.0.0.1"]);
});

after(async () => {
  await browser?.close();
  await new Promise((done) => site.close(done));
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** planted reports whether an attack has created the object. */
async function planted() {
  return (await fetch(`${address}/api/v1/namespaces/default/configmaps/planted`)).status !== 404;
}

/** page opens a page of another site. */
async function page(host = "localhost") {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`http://${host}:${site.address().port}/`);
  return page;
}

describe("a page of another site", () => {
  const types = { "no type": undefined, text: "text/plain", form: "application/x-www-form-urlencoded" };
  for (const [name, type] of Object.entries(types)) {
    test(`cannot write by a simple request with ${name}`, async () => {
      const attacker = await page();
      await attacker.evaluate(
        async ([url, body, type]) => {
          const blob = new Blob([body], type ? { type } : {});
          await fetch(url, { method: "POST", mode: "no-cors", body: blob }).catch(() => {});
          navigator.sendBeacon(url, blob);
        },
        [`${address}/api/v1/namespaces/default/configmaps`, object, type],
      );
      assert.equal(await planted(), false);
      await attacker.context().close();
    });
  }

  test("cannot write by a form", async () => {
    const attacker = await page();
    await attacker.evaluate(
      ([url, body]) => {
        document.body.innerHTML = `<form method="post" enctype="text/plain"><textarea></textarea></form>`;
        const form = document.querySelector("form");
        form.action = url;
        form.querySelector("textarea").name = body;
        form.submit();
      },
      [`${address}/api/v1/namespaces/default/configmaps`, object],
    );
    await attacker.waitForLoadState();
    assert.equal(await planted(), false);
    await attacker.context().close();
  });

  test("cannot write with JSON, nor delete, nor read", async () => {
    const attacker = await page();
    const answers = await attacker.evaluate(
      async ([url, body]) => {
        const ask = (path, options) =>
          fetch(url + path, options).then(
            (r) => r.status,
            () => "refused",
          );
        return [
          await ask("/api/v1/namespaces/default/configmaps", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body,
          }),
          await ask("/api/v1/namespaces/kube-system", { method: "DELETE" }),
          await ask("/api/v1/secrets", {}),
        ];
      },
      [address, object],
    );
    assert.deepEqual(answers, ["refused", "refused", "refused"]);
    assert.equal(await planted(), false);
    await attacker.context().close();
  });

  test("cannot reach the server by a name of its own", async () => {
    const context = await browser.newContext();
    const rebound = await context.newPage();
    const { port } = new URL(address);
    const response = await rebound.goto(`http://attacker.test:${port}/api/v1/namespaces`);
    assert.equal(response.status(), 403);
    assert.match(await response.text(), /not a name of this server/);
    await context.close();
  });

  test("does not keep a person from looking at the server", async () => {
    const context = await browser.newContext();
    const visitor = await context.newPage();
    const response = await visitor.goto(`${address}/api/v1/namespaces`);
    assert.equal(response.status(), 200);
    await context.close();
  });
});
