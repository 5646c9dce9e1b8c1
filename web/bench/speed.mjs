// Measures how long the page takes in Chromium, on a Deployment of more than 600 lines that four managers
// own, and compares it with budget.json. The figures mean something only on an idle machine;
// test/work.test.mjs counts what does not depend on the machine.
import { readFileSync } from "node:fs";
import { launch } from "../test/browser.mjs";
import { bigDefinition, deployment, manyLines, press, seed, toLine } from "../test/large.mjs";
import { command, slowly } from "../test/served.mjs";
import { begin, end, open, row } from "../test/visit.mjs";

const budget = JSON.parse(readFileSync(new URL("budget.json", import.meta.url)));

await begin();
try {
  await firstResults();
  await keys();
  await scrolling();
  await definition();
} finally {
  await end();
}
await slowNetwork();

/** report prints a time in milliseconds beside its budget, if it has one, and fails the command if it is longer. */
function report(what, milliseconds, most) {
  const over = milliseconds > most;
  console.log(`${what}: ${milliseconds.toFixed(1)} ms${most ? ` of ${most}` : ""}${over ? ", TOO LONG" : ""}`);
  if (over) process.exitCode = 1;
}

async function firstResults() {
  const { page, done } = await open();
  report("first result, first visit", await firstResult(page), budget.firstResultMilliseconds);
  await seed(page, { steps: deployment(8, 22), at: 4 });
  await row(page, "replicas: 3").waitFor();
  report("first result that needs the engine", await firstResult(page));
  await page.waitForFunction(() => localStorage.getItem("patchlab.playground.answers")?.includes("replicas: 3"));
  await page.reload();
  await row(page, "replicas: 3").waitFor();
  report("first result, page loaded again", await firstResult(page), budget.firstResultMilliseconds);
  await done();
}

async function keys() {
  const { page, done } = await open();
  await seed(page, { steps: deployment(8, 22), at: 4 });
  await row(page, "replicas: 3").waitFor();
  // The four own all of it; a goes on with another number of replicas.
  await page.getByRole("button", { name: "+ Step as a" }).click();
  await page.getByText("step 5 of 5").first().waitFor();
  const quick = await typed(page, { wait: 120 });
  report("key of a user who types quickly, main thread, median", quick.main, budget.keyProcessorMilliseconds);
  report("key of a user who types quickly, main thread, mean", quick.mean);
  const shown = await typed(page);
  report("key with its result, main thread", shown.main);
  report("key with its result, worker", shown.worker, budget.stepMilliseconds);
  // The last of the four comes to own all of it, and every line changes hands.
  await page.getByRole("button", { name: "One step back" }).filter({ visible: true }).click();
  await page.getByText("step 4 of 5").first().waitFor();
  const joined = await typed(page);
  report("key in a step that changes the owner of every line, main thread", joined.main);
  report("key in a step that changes the owner of every line, worker", joined.worker);
  await done();
}

async function scrolling() {
  const { page, done } = await open();
  await seed(page, { steps: [{ actor: "a", body: manyLines(5000) }], at: 1 });
  await row(page, "k00000: v").waitFor();
  const session = await threadTimes(page);
  const before = await processor(session);
  const frames = 60;
  await page.locator("#object .cm-scroller").evaluate(
    (e, frames) =>
      new Promise((done) => {
        let n = 0;
        const step = () => (n++ < frames ? ((e.scrollTop += 400), requestAnimationFrame(step)) : done());
        step();
      }),
    frames,
  );
  report(
    "frame of scrolling 5,000 lines, main thread",
    ((await processor(session)) - before) / frames,
    budget.frameProcessorMilliseconds,
  );
  await done();
}

async function definition() {
  const { page, done } = await open();
  const body = "apiVersion: big.example.com/v1\nkind: Big\nmetadata: {name: b}\nspec:\n  replicas: 3\n";
  await seed(page, {
    steps: [
      { actor: "a", body },
      { actor: "b", body },
    ],
    at: 1,
    definitions: [bigDefinition()],
  });
  await row(page, "replicas: 3").waitFor();
  const beside = await typed(page, { line: 4 });
  report("key beside a definition of 300 KB, main thread", beside.main, budget.keyProcessorMilliseconds);
  report("key beside a definition of 300 KB, worker", beside.worker, budget.definitionStepMilliseconds);
  await done();
}

async function slowNetwork() {
  const server = await command(),
    browser = await launch();
  try {
    const { text, result } = await slowly(
      await browser.newPage({ viewport: { width: 1440, height: 900 } }),
      server.address,
    );
    report("text at 1.6 Mbit/s", text.time, budget.slowFirstTextMilliseconds);
    report("first result at 1.6 Mbit/s", result.time, budget.slowFirstResultMilliseconds);
  } finally {
    await browser.close();
    server.close();
  }
}

/** firstResult returns when the first result was drawn, counted from the start of the navigation, by the browser's clock. */
async function firstResult(page) {
  const mark = await page.waitForFunction(() => performance.getEntriesByName("patchlab first result")[0]?.startTime);
  return mark.jsonValue();
}

/** threadTimes returns a session whose metrics are the processor time of the page's main thread. */
async function threadTimes(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  return session;
}

/** processor returns for how long the page's main thread has worked, in milliseconds. */
async function processor(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  return 1000 * metrics.find((m) => m.name === "TaskDuration").value;
}

/**
 * typed types 40 digits behind a line, one every wait milliseconds. It returns the median and the mean processor
 * time of a key on the main thread, and the median time of a step in the worker, all without the
 * first 15, by which the browser has compiled the engine's functions well.
 */
async function typed(page, { line = 5, wait = 400 } = {}) {
  const count = 40,
    warmUp = 15;
  await page.waitForTimeout(500);
  await toLine(page, line);
  await page.evaluate(() => {
    globalThis.steps = [];
    Object.defineProperty(globalThis, "patchlabMilliseconds", {
      set: (n) => globalThis.steps.push(n),
      configurable: true,
    });
  });
  const session = await threadTimes(page);
  const times = [];
  for (let i = 0; i < count; i++) {
    const before = await processor(session);
    await press(page, i);
    await page.waitForTimeout(wait);
    times.push((await processor(session)) - before);
  }
  await page.waitForTimeout(500);
  await session.detach();
  const warm = times.slice(warmUp),
    steps = await page.evaluate(() => globalThis.steps);
  return {
    main: median(warm),
    mean: warm.reduce((sum, n) => sum + n, 0) / warm.length,
    worker: median(steps.slice(warmUp)),
  };
}

function median(list) {
  return list.toSorted((a, b) => a - b)[list.length >> 1];
}
