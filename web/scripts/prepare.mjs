// Asks the complete engine, as it was just built, what a first visitor's page asks, and
// writes the answers to two files in web/generated: what the page shows first to start.json,
// which is part of the page's script, and to prepared.json what its entries show, the examples at
// their first step, and the texts of examples and lessons as they are read.
// The requests are those of src/app.ts and src/main.ts, character by character; a test
// (test/first.test.mjs) opens the page without an engine and misses what differs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Runtime } from "../packages/engine/dist/runtime.js";
import { keyOf } from "../src/preparedkey.js";

const root = new URL("../../", import.meta.url);
const dist = new URL("packages/engine/dist/", new URL("../", import.meta.url));
const runtime = await Runtime.start(
  await WebAssembly.compile(readFileSync(new URL("engine.wasm", dist))),
  readFileSync(new URL("catalog.bin", dist)),
);

const prepared = {};

/** ask asks the engine, and keeps the answer. */
function ask(call, input, answers = prepared) {
  const request = JSON.stringify({ call, input });
  const { output, error } = JSON.parse(new TextDecoder().decode(runtime.answer(new TextEncoder().encode(request))));
  if (error) throw new Error(`${call}: ${error.message}`);
  answers[keyOf(request)] = output;
  return output;
}

/** show asks what the page shows of a scenario after a number of steps. */
function show(scenario, at, answers = prepared) {
  ask("run", { scenario, at, against: at - 1, changes: 60, object: 0 }, answers);
  if (at > 0) ask("why", { scenario, at }, answers);
}

const texts = (folder) =>
  readdirSync(new URL(folder, root))
    .filter((f) => f.endsWith(".yaml"))
    .sort()
    .map((f) => readFileSync(new URL(folder + f, root), "utf8"));

const first = {};
ask("about", {}, first);
const entries = ["The first conflict", "Handing replicas to an autoscaler"];
texts("testdata/scenarios/").forEach((text, i) => {
  const { scenario } = ask("import", { text });
  const last = scenario.steps.length;
  const whole = i === 0 || entries.includes(scenario.title);
  for (let at = 0; at <= last; at++)
    if (whole || at === 1) show(scenario, at, i === 0 && at === last ? first : prepared);
  if (i === 0) writeFileSync(new URL("web/generated/start.json", root), JSON.stringify({ scenario, answers: first }));
});
for (const text of texts("testdata/lessons/")) ask("lesson", { text });
writeFileSync(new URL("web/generated/prepared.json", root), JSON.stringify(prepared));
