// How long the page takes, on a Deployment of more than 600 lines that four managers own.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, row } from "./visit.mjs";

const budget = JSON.parse(readFileSync(new URL("../budget.json", import.meta.url)));

before(begin);
after(end);

describe("the page's speed", { timeout: groupTime }, () => {
  test("gives a first result and steps, with their times, and does not shift while it loads", async () => {
    const { page, done } = await open();
    const visitor = await firstResult(page);
    await seed(page, { steps: deployment(8, 22), at: 4 });
    await row(page, "replicas: 3").waitFor();
    const engine = await firstResult(page);
    await page.waitForFunction(() => localStorage.getItem("patchlab.playground.answers")?.includes("replicas: 3"));
    await page.reload();
    await row(page, "replicas: 3").waitFor();
    const again = await firstResult(page);
    const shift = await page.evaluate(() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().reduce((sum, e) => sum + (e.hadRecentInput ? 0 : e.value), 0))).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => done(0), 300)));
    // The four own all of it; a goes on with another number of replicas.
    await page.getByRole("button", { name: "+ Step as a" }).click();
    await page.getByText("step 5 of 5").first().waitFor();
    const quick = await typed(page, 40, { wait: quickly });
    const seen = await typed(page, 40);
    // The last of the four comes to own all of it, and every line changes hands.
    await page.getByRole("button", { name: "One step back" }).filter({ visible: true }).click();
    await page.getByText("step 4 of 5").first().waitFor();
    const joined = await typed(page, 40);
    console.log(`first result after ${visitor.toFixed(0)} ms for a first visitor, ${again.toFixed(0)} ms where the page is loaded again (budget ${budget.firstResultMilliseconds}), ${engine.toFixed(0)} ms where the engine has to answer
a key costs the main thread ${quick.main.toFixed(1)} ms of processor time, median, and ${quick.mean.toFixed(1)} ms, mean, of a user who types quickly (budget ${budget.keyProcessorMilliseconds}); with its result ${seen.main.toFixed(1)} ms, ${joined.main.toFixed(1)} ms in a step that changes the owner of every line
a step in the worker, median after ${warmUp} others ${median(seen.steps.slice(warmUp)).toFixed(1)} ms (budget ${budget.stepMilliseconds}), ${median(joined.steps.slice(warmUp)).toFixed(1)} ms in a step that changes the owner of every line
layout shift ${shift.toFixed(4)}`);
    assert.ok(shift < 0.02, `layout shift ${shift}`);
    // Elapsed times say little on a machine that does other work, so they are held to
    // the budget only where PATCHLAB_STRICT_SPEED=1 says that it is idle. Processor time
    // is held to three times the budget always.
    held("a key's processor time on the main thread", quick.main, budget.keyProcessorMilliseconds);
    held("that of a key with its result", seen.main, budget.keyProcessorMilliseconds);
    if (process.env.PATCHLAB_STRICT_SPEED) {
      assert.ok(quick.main <= budget.keyProcessorMilliseconds, "a key's processor time on the main thread");
      assert.ok(visitor <= budget.firstResultMilliseconds, `first result of a first visitor ${visitor}`);
      assert.ok(again <= budget.firstResultMilliseconds, `first result where the page is loaded again ${again}`);
      assert.ok(median(seen.steps.slice(warmUp)) <= budget.stepMilliseconds, "a step");
    }
    await done();
  });

  test("draws only the lines on screen: scrolling 5,000 of them", async () => {
    const { page, done } = await open();
    await seed(page, { steps: [{ actor: "a", body: manyLines(5000) }], at: 1 });
    await row(page, "k00000: v").waitFor();
    const scroller = page.locator("#object .cm-scroller");
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const before = await processor(session);
    const frames = 60;
    await scroller.evaluate((e, frames) => new Promise((done) => {
      let n = 0;
      const step = () => (n++ < frames ? ((e.scrollTop += 400), requestAnimationFrame(step)) : done());
      step();
    }), frames);
    const cost = ((await processor(session)) - before) / frames;
    const drawn = await page.locator("#object .cm-line").count();
    console.log(`scrolling costs ${cost.toFixed(1)} ms of processor time a frame (budget ${budget.frameProcessorMilliseconds}); ${drawn} lines are drawn`);
    assert.ok(drawn < 300, `${drawn} lines are drawn`);
    held("a frame of scrolling", cost, budget.frameProcessorMilliseconds);
    await done();
  });

  test("reads a definition of 300 KB once", async () => {
    const { page, done } = await open();
    const body = "apiVersion: big.example.com/v1\nkind: Big\nmetadata: {name: b}\nspec:\n  replicas: 3\n";
    await seed(page, { steps: [{ actor: "a", body }, { actor: "b", body }], at: 1, definitions: [bigDefinition()] });
    await row(page, "replicas: 3").waitFor();
    const seen = await typed(page, 40, { line: 4 });
    console.log(`a key beside a definition of 300 KB: ${median(seen.steps.slice(warmUp)).toFixed(1)} ms in the worker (budget ${budget.definitionStepMilliseconds}), ${seen.main.toFixed(1)} ms on the main thread`);
    if (process.env.PATCHLAB_STRICT_SPEED) assert.ok(median(seen.steps.slice(warmUp)) <= budget.definitionStepMilliseconds, "a key beside a large definition");
    held("a key beside a large definition, on the main thread", seen.main, budget.keyProcessorMilliseconds);
    await done();
  });
});

const held = (what, value, limit) => assert.ok(value <= 3 * limit, `${what}: ${value.toFixed(1)} ms, three times the budget is ${3 * limit}`);

/** firstResult is when the first result was drawn, from the start of the navigation, by the browser's clock. */
const firstResult = (page) => page.waitForFunction(() => performance.getEntriesByName("patchlab first result")[0]?.startTime).then((mark) => mark.jsonValue());

/** seed puts a scenario into the page's storage and loads the page with it. */
async function seed(page, { steps, at, definitions = [] }) {
  await page.evaluate(({ steps, at, definitions }) => {
    const list = steps.map(({ actor, body }) => ({ actor, do: "force-apply", subresource: "", target: { apiVersion: "", kind: "", namespace: "", name: "" }, body, note: "" }));
    const scenario = { title: "", about: "", kubernetes: "", definitions, objects: [], actors: [...new Set(steps.map((s) => s.actor))].map((name) => ({ name, colour: "" })), steps: list };
    for (const store of [sessionStorage, localStorage]) store.setItem("patchlab.playground.v1", JSON.stringify({ scenario, at, object: 0 }));
    addEventListener("pagehide", (event) => event.stopImmediatePropagation(), { capture: true });
    return navigator.serviceWorker.ready; // the files are there
  }, { steps, at, definitions });
  await page.reload();
}

/** deployment is a Deployment that four managers apply. */
function deployment(containers, variables) {
  const out = ["apiVersion: apps/v1", "kind: Deployment", "metadata:", "  name: web", "spec:", "  replicas: 3", "  selector:", "    matchLabels:", "      app: web", "  template:", "    metadata:", "      labels:", "        app: web", "    spec:", "      containers:"];
  for (let c = 0; c < containers; c++) {
    out.push(`      - name: c${c}`, `        image: example.com/c${c}:1`, "        env:");
    for (let e = 0; e < variables; e++) out.push(`        - name: E${e}`, `          value: v${e}`);
    out.push("        ports:");
    for (let p = 0; p < 4; p++) out.push(`        - containerPort: ${8000 + p}`, `          name: p${p}`);
    out.push("        resources:", "          limits:", "            cpu: 500m", "            memory: 1Gi");
  }
  return ["a", "b", "c", "d"].map((actor) => ({ actor, body: out.join("\n") + "\n" }));
}

const manyLines = (n) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many\ndata:\n${Array.from({ length: n }, (_, i) => `  k${String(i).padStart(5, "0")}: v`).join("\n")}\n`;

/** bigDefinition is a CustomResourceDefinition of some 300 KB. */
function bigDefinition() {
  const out = ["apiVersion: apiextensions.k8s.io/v1", "kind: CustomResourceDefinition", "metadata: {name: bigs.big.example.com}", "spec:", "  group: big.example.com", "  names: {kind: Big, listKind: BigList, plural: bigs, singular: big}", "  scope: Namespaced", "  versions:", "  - name: v1", "    served: true", "    storage: true", "    schema:", "      openAPIV3Schema:", "        type: object", "        properties:", "          spec:", "            type: object", "            properties:", "              replicas: {type: integer}"];
  for (let i = 0; i < 1200; i++) out.push(`              field${i}:`, `                description: "What field ${i} is for, in a sentence that is as long as they are in definitions that tools have generated from comments in Go; it takes a good part of the space."`, "                type: object", "                properties:", "                  name: {type: string, maxLength: 63}", "                  size: {type: integer}");
  return out.join("\n") + "\n";
}

/** How many steps it takes until the browser has compiled the engine's functions well. */
const warmUp = 15;

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];

/** processor is how long the page's main thread has worked, in milliseconds. */
async function processor(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find((m) => m.name === "TaskDuration").value;
}

/** The milliseconds between the keys of a user who types quickly, who sees a result now and then, and of one who sees a result for each key. */
const quickly = 120;
const slowly = 400;

/** typed types digits behind the replicas, one after the other. */
async function typed(page, count, { line = 5, wait = slowly } = {}) {
  await page.waitForTimeout(500);
  await editor(page).focus();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < line; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.evaluate(() => {
    globalThis.noted = [];
    Object.defineProperty(globalThis, "patchlabMilliseconds", { set: (n) => globalThis.noted.push(n), configurable: true });
  });
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const costs = [];
  for (let i = 0; i < count; i++) {
    const before = await processor(session);
    await page.keyboard.press(i % 2 ? "Backspace" : String(1 + (i % 9)));
    await page.waitForTimeout(wait);
    costs.push((await processor(session)) - before);
  }
  await page.waitForTimeout(500);
  await session.detach();
  const warm = costs.slice(warmUp);
  return { steps: await page.evaluate(() => globalThis.noted), main: median(warm), mean: warm.reduce((sum, n) => sum + n, 0) / warm.length };
}
