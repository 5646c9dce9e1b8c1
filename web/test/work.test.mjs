// How much the page does for a key and for a frame, on a Deployment of more than 600 lines that
// four managers own. It is counted, because times depend on what else the machine does;
// bench/speed.mjs measures them.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import budget from "./budget.json" with { type: "json" };
import { bigDefinition, deployment, layoutShift, manyLines, press, seed, toLine } from "./large.mjs";
import { begin, end, open, row } from "./visit.mjs";

before(begin);
after(end);

describe("the page's work", { timeout: groupTime }, () => {
  test("gives a first result and steps, with little for each key, and does not shift while it loads", async () => {
    const { page, done } = await open();
    await seed(page, { steps: deployment(8, 22), at: 4 });
    await row(page, "replicas: 3").waitFor();
    await page.waitForFunction(() => localStorage.getItem("patchlab.playground.answers")?.includes("replicas: 3"));
    await page.reload();
    await row(page, "replicas: 3").waitFor();
    const shift = await layoutShift(page);
    assert.ok(shift < 0.02, `layout shift ${shift}`);
    // The four own all of it; a goes on with another number of replicas.
    await page.getByRole("button", { name: "+ Step as a" }).click();
    await page.getByText("step 5 of 5").first().waitFor();
    held("a key", await typed(page, 5), budget.key);
    // The last of the four comes to own all of it, and every line changes hands.
    await page.getByRole("button", { name: "One step back" }).filter({ visible: true }).click();
    await page.getByText("step 4 of 5").first().waitFor();
    held("a key in a step that changes the owner of every line", await typed(page, 5), budget.keyOfAllOwners);
    await done();
  });

  test("draws only the lines on screen: scrolling 5,000 of them", async () => {
    const { page, done } = await open();
    await seed(page, { steps: [{ actor: "a", body: manyLines(5000) }], at: 1 });
    await row(page, "k00000: v").waitFor();
    const scroller = page.locator("#object .cm-scroller");
    const frames = 60;
    const counted = await counter(page);
    await scroller.evaluate(
      (e, frames) =>
        new Promise((done) => {
          let n = 0;
          const step = () => (n++ < frames ? ((e.scrollTop += 400), requestAnimationFrame(step)) : done());
          step();
        }),
      frames,
    );
    const all = await counted.read();
    await counted.end();
    const drawn = await page.locator("#object .cm-line").count();
    assert.ok(drawn < 300, `${drawn} lines are drawn`);
    held(
      "a frame of scrolling",
      Object.fromEntries(Object.entries(all).map(([what, n]) => [what, n / frames])),
      budget.frame,
    );
    await done();
  });

  test("does as little for a key beside a definition of 300 KB", async () => {
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
    held("a key beside a large definition", await typed(page, 4), budget.keyBesideDefinition);
    await done();
  });
});

/** held requires that what was counted is within a budget. */
function held(what, counted, most) {
  console.log(
    `${what}: ${Object.entries(counted)
      .map(([name, n]) => `${n.toFixed(1)} ${name} (budget ${most[name]})`)
      .join(", ")}`,
  );
  for (const [name, n] of Object.entries(counted))
    assert.ok(n <= most[name], `${what}: ${n.toFixed(1)} ${name}, the budget is ${most[name]}`);
}

/** typed types digits behind the replicas, each after the result of the one before, and returns the median counts of a key. */
async function typed(page, line) {
  await toLine(page, line);
  await page.evaluate(() => {
    globalThis.results = 0;
    Object.defineProperty(globalThis, "patchlabMilliseconds", { set: () => globalThis.results++, configurable: true });
  });
  const counted = await counter(page);
  const keys = [];
  for (let i = 0; i < 12; i++) {
    const before = await page.evaluate(() => globalThis.results);
    await press(page, i);
    await page.waitForFunction((before) => globalThis.results > before, before);
    await page.waitForTimeout(300);
    keys.push({ ...(await counted.read()), results: (await page.evaluate(() => globalThis.results)) - before });
  }
  await counted.end();
  return Object.fromEntries(
    Object.keys(keys[0]).map((name) => [
      name,
      keys.map((key) => key[name]).toSorted((a, b) => a - b)[keys.length >> 1],
    ]),
  );
}

/** counter counts what the page's main thread does between two reads. */
async function counter(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await session.send("Profiler.enable");
  await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await page.evaluate(() => {
    globalThis.changes = 0;
    const observer = new MutationObserver((list) => {
      for (const m of list) globalThis.changes += 1 + m.addedNodes.length + m.removedNodes.length;
    });
    const editors = [...document.querySelectorAll("*")].flatMap((e) => e.shadowRoot ?? []);
    for (const root of [document, ...editors])
      observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  });
  const totals = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    const value = (name) => metrics.find((m) => m.name === name).value;
    return {
      layouts: value("LayoutCount"),
      styles: value("RecalcStyleCount"),
      changes: await page.evaluate(() => globalThis.changes),
    };
  };
  // The coverage of the page's own scripts, without what the test evaluates.
  const calls = async () => {
    const { result } = await session.send("Profiler.takePreciseCoverage");
    return result
      .filter((script) => script.url.startsWith("http"))
      .flatMap((script) => script.functions)
      .reduce((sum, f) => sum + f.ranges[0].count, 0);
  };
  let last = await totals();
  await calls();
  return {
    async read() {
      const now = await totals();
      const counted = {
        calls: await calls(),
        changes: now.changes - last.changes,
        layouts: now.layouts - last.layouts,
        styles: now.styles - last.styles,
      };
      last = now;
      return counted;
    },
    end: () => session.detach(),
  };
}
