// Asks the complete engine, as it was just built, what a first visitor's page asks, and
// writes the answers to web/generated/prepared.json: what the start and its doors show, the
// examples at their first step, and the texts of examples and lessons as they are read.
// The requests are those of src/app.ts and src/main.ts, character by character; a test
// (test/first.test.mjs) opens the page without an engine and misses what differs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { Runtime } from "../packages/engine/dist/runtime.js";
import { keyOf } from "../src/preparedkey.js";

const root = new URL("../../", import.meta.url);
const dist = new URL("packages/engine/dist/", new URL("../", import.meta.url));
const runtime = await Runtime.start(await WebAssembly.compile(readFileSync(new URL("engine.wasm", dist))), readFileSync(new URL("catalog.bin", dist)));

const answers = {};

/** ask asks the engine, and keeps the answer. */
function ask(call, input) {
  const request = JSON.stringify({ call, input });
  const { output, error } = JSON.parse(new TextDecoder().decode(runtime.answer(new TextEncoder().encode(request))));
  if (error) throw new Error(`${call}: ${error.message}`);
  answers[keyOf(request)] = output;
  return output;
}

/** show asks what the page shows of a scenario after a number of steps. */
function show(scenario, at) {
  ask("run", { scenario, at, against: at - 1, changes: 60, object: 0 });
  if (at > 0) ask("why", { scenario, at });
}

const texts = (folder) => readdirSync(new URL(folder, root)).filter((f) => f.endsWith(".yaml")).sort().map((f) => readFileSync(new URL(folder + f, root), "utf8"));

ask("about", {});
const doors = ["The first conflict", "Handing replicas to an autoscaler"];
texts("testdata/scenarios/").forEach((text, i) => {
  const { scenario } = ask("import", { text });
  const whole = i === 0 || doors.includes(scenario.title);
  for (let at = 0; at <= scenario.steps.length; at++) if (whole || at === 1) show(scenario, at);
});
for (const text of texts("testdata/lessons/")) ask("lesson", { text });
writeFileSync(new URL("web/generated/prepared.json", root), JSON.stringify(answers));
