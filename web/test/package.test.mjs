// The npm package of the engine as a user has it: packed, and installed in an empty
// project. Its README's lines run as they stand, in Node.js and in Chromium.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, describe, test } from "node:test";
import { groupTime, launch, waitTime } from "./browser.mjs";

const folder = new URL("../packages/engine/", import.meta.url).pathname;
const tsc = new URL("../node_modules/typescript/bin/tsc", import.meta.url).pathname;
const types = new URL("../node_modules/@types", import.meta.url).pathname;
const example = /```js\n(.*?)```/s.exec(readFileSync(join(folder, "README.md"), "utf8"))[1];
const [, expected] = /console\.log\(.*\/\/ (.*)\n/.exec(example);
const media = {
  ".js": "text/javascript",
  ".html": "text/html",
  ".wasm": "application/octet-stream",
  ".bin": "application/octet-stream",
};

let project;
const run = (...args) => execFileSync(process.execPath, args, { cwd: project, encoding: "utf8" });

before(() => {
  project = mkdtempSync(join(tmpdir(), "patchlab-package-"));
  const [{ filename }] = JSON.parse(
    execFileSync("npm", ["pack", "--json", "--pack-destination", project], { cwd: folder, encoding: "utf8" }),
  );
  writeFileSync(join(project, "package.json"), '{"name": "empty", "private": true}');
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", join(project, filename)], {
    cwd: project,
    stdio: "pipe",
  });
  writeFileSync(join(project, "readme.mjs"), example);
});
after(() => rmSync(project, { recursive: true, force: true }));

/** lab runs some lines with a Lab in Node.js and returns what they return. */
function lab(lines) {
  writeFileSync(
    join(project, "lines.mjs"),
    `import * as engine from "@patchlab/engine";\nconst { load } = engine;\nconst out = await (async () => {${lines}})();\nconsole.log(JSON.stringify(out));`,
  );
  return JSON.parse(run("lines.mjs"));
}

describe("the npm package", { timeout: groupTime }, () => {
  test("runs the README's lines in Node.js, and the program ends", () => {
    assert.ok(example.trim().split("\n").length <= 10);
    assert.equal(run("readme.mjs").trim(), expected);
  });

  test("runs the README's lines in Chromium, and leaves the global object alone", async () => {
    writeFileSync(
      join(project, "index.html"),
      `<!doctype html><title>empty</title>
<script>globalThis.before = Object.keys(globalThis)</script>
<script type="importmap">{"imports": {"@patchlab/engine": "./node_modules/@patchlab/engine/dist/browser.js"}}</script>
<script type="module" src="readme.mjs"></script>`,
    );
    const server = createServer((request, response) => {
      const name = normalize(new URL(request.url, "http://x").pathname);
      if (name === "/favicon.ico") return void response.writeHead(204).end();
      const type = extname(name) === ".mjs" ? "text/javascript" : media[extname(name)];
      response.writeHead(200, { "Content-Type": type }).end(readFileSync(join(project, name)));
    });
    await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
    const browser = await launch();
    try {
      const page = await browser.newPage();
      const faults = [];
      page.on("pageerror", (error) => faults.push(error.message));
      const printed = page.waitForEvent("console", { timeout: waitTime });
      await page.goto(`http://127.0.0.1:${server.address().port}/index.html`);
      assert.equal((await printed).text(), expected, faults.join());
      assert.deepEqual(
        await page.evaluate(() =>
          Object.keys(globalThis).filter((k) => k !== "before" && !globalThis.before.includes(k)),
        ),
        [],
      );
    } finally {
      await browser.close();
      server.closeAllConnections();
      server.close();
    }
  });

  test("has types that a strict program compiles with", () => {
    writeFileSync(
      join(project, "typed.mts"),
      `import { type Conflict, load, type Outcome, RefusedError } from "@patchlab/engine";
const lab = await load({ kubernetes: "1.36", definitions: [] });
const out: Outcome = lab.apply(null, "kind: x", { fieldManager: "alice", force: true });
const first: Conflict | undefined = out.conflicts[0];
export const text: string = first?.manager.name ?? lab.owners(out.object)[0]!.path;
export const refused = (error: unknown): number => (error instanceof RefusedError ? error.code : 0);
// @ts-expect-error no such option
lab.apply(null, {}, { fieldManger: "alice" });
`,
    );
    run(
      tsc,
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--lib",
      "es2022,dom",
      "--types",
      "node",
      "--typeRoots",
      types,
      "typed.mts",
    );
  });

  test("names the README for a module that a bundler has moved without its files", () => {
    const out = lab(`
      try { await load({ engine: "./missing.wasm" }); } catch (error) { return [error.message, error.cause.code]; }
    `);
    assert.match(
      out[0],
      /^the engine could not be loaded: ENOENT.*missing\.wasm'; see "Bundlers" in the README of @patchlab\/engine$/,
    );
    assert.equal(out[1], "ENOENT");
    assert.match(readFileSync(join(folder, "README.md"), "utf8"), /^## Bundlers$/m);
  });

  test("throws what the API server would refuse, and tells what cannot be read", () => {
    const out = lab(`
      const lab = await load();
      const thrown = (f) => { try { f(); } catch (error) { return { name: error.name, code: error.code, line: error.line, refused: error instanceof engine.RefusedError, field: error.fields?.[0]?.path }; } };
      const service = { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { ports: [{ port: 99999 }] } };
      return [thrown(() => lab.apply(null, service)), thrown(() => lab.apply(null, "a: [")), thrown(() => lab.with({ kubernetes: "1.2" }))];
    `);
    assert.deepEqual(out[0], { name: "RefusedError", code: 422, line: 0, refused: true, field: ".spec.ports[0].port" });
    assert.deepEqual(out[1], { name: "LabError", line: 1, refused: false });
    assert.equal(out[2].name, "LabError");
  });

  test("refuses a type of patch that does not exist, by its name", () => {
    const errors = lab(`
      const lab = await load();
      return ["xml", "toString"].map((type) => {
        try { return lab.patch("a: b", {}, { type }).object; } catch (e) { return e.name + ": " + e.message; }
      });`);
    assert.deepEqual(
      errors,
      ["xml", "toString"].map((type) => `TypeError: type is "${type}"; expected json, merge or strategic`),
    );
  });

  test("loads files by their paths and addresses", () => {
    const versions = lab(`
      const file = (name) => import.meta.resolve("@patchlab/engine/" + name);
      const kinds = [];
      for (const place of [(name) => file(name), (name) => new URL(file(name)), (name) => new URL(file(name)).pathname]) {
        const lab = await load({ engine: place("engine.wasm"), catalog: place("catalog.bin") });
        kinds.push(lab.create("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}").created);
      }
      return kinds;`);
    assert.deepEqual(versions, [true, true, true]);
  });

  test("refuses numbers that JSON would replace by null, which removes the field", () => {
    const errors = lab(`
      const lab = await load();
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } };
      return [NaN, Infinity, -Infinity].map((k) => {
        try { return lab.patch(object, { data: { k } }).object; } catch (e) { return e.name + ": " + e.message; }
      });`);
    assert.deepEqual(
      errors,
      ["NaN", "Infinity", "-Infinity"].map((n) => `TypeError: "k" is ${n}, which is not a number in JSON`),
    );
  });

  test("prints a readable stack trace if the engine has a fault, as with half a catalog", () => {
    writeFileSync(
      join(project, "fault.mjs"),
      `import { readFileSync } from "node:fs";
import { Runtime } from "@patchlab/engine/runtime";
const file = (name) => readFileSync(new URL(import.meta.resolve("@patchlab/engine/" + name)));
const runtime = await Runtime.start(await WebAssembly.compile(file("engine.wasm")), file("catalog.bin").subarray(0, 2000));
console.log(new TextDecoder().decode(runtime.answer(new TextEncoder().encode('{"call":"about","input":{}}'))));
process.exit(0);`,
    );
    const printed = run("fault.mjs");
    assert.match(printed, /this is a fault in patchlab/);
    // The functions that lead to the fault, innermost first. Their lines are left out, see doc/playground.md.
    assert.match(printed, /panic\([^]*schema\.openArchive\([^]*module\.answer\(/);
  });

  test("patches, updates, explains and compares, with custom resources too", () => {
    const widgets = readFileSync(new URL("../../testdata/crds/widgets.yaml", import.meta.url), "utf8");
    const out = lab(`
      const lab = (await load()).with({ definitions: [${JSON.stringify(widgets)}] });
      const cm = lab.apply(null, { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { x: "1" } }, { fieldManager: "alice" });
      const next = lab.patch(cm.object, [{ op: "add", path: "/data/y", value: "2" }], { fieldManager: "bob" });
      const merged = lab.patch(next.object, { data: { x: null } }, { type: "merge", fieldManager: "bob" });
      const strategic = lab.patch(next.object, { data: { z: "3" } });
      const updated = lab.update(next.object, { ...next.object, data: { y: "4" } }, { fieldManager: "carol" });
      return { actions: [next.action, merged.action, strategic.action, updated.action], x: merged.object.data.x ?? null,
        owners: lab.owners(next.object, ".data.y")[0].managers.map((m) => m.name), explained: lab.explain(next.object, ".data.y")[0],
        compared: lab.compare(cm.object, updated.object).map((c) => [c.path, c.effect, c.before ?? null, c.after ?? null]), created: cm.created };
    `);
    assert.deepEqual(out.actions, ["json-patch", "merge-patch", "strategic-patch", "update"]);
    assert.equal(out.x, null);
    assert.deepEqual(out.owners, ["bob"]);
    assert.equal(out.explained.value, "2");
    assert.deepEqual(out.compared, [
      [".data.x", "removed", "1", null],
      [".data.y", "set", null, "4"],
    ]);
    assert.equal(out.created, true);
  });
});
