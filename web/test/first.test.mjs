// What a first visitor meets before the engine is there, on a slow network, and when the
// complete engine takes the place of the first.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime, host } from "./browser.mjs";
import { address, begin, editor, end, newContext, owned, row, settled, shown, watchFaults, write } from "./visit.mjs";

before(begin);
after(end);

/** visit opens the page in a context of its own, whose engines come when they are let go: also later, where no service worker has kept them. */
async function visit({
  fragment = "",
  held = /engine-.*\.wasm$/,
  slow = false,
  kept = true,
  viewport = { width: 1440, height: 900 },
} = {}) {
  const context = await newContext({ viewport });
  let release, released;
  const hold = () => (released = new Promise((go) => (release = go)));
  hold();
  await context.route(held, async (route) => {
    await released;
    await route.continue();
  });
  const page = await context.newPage();
  const faults = watchFaults(page);
  if (slow)
    await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
  if (!kept) await page.addInitScript(() => delete Navigator.prototype.serviceWorker);
  await page.goto(address() + fragment);
  return {
    page,
    context,
    hold,
    release: () => release(),
    done: async () => {
      release();
      assert.deepEqual(faults, []);
      await context.close();
    },
  };
}

const unvalidated = (page) => page.locator("#unvalidated");
const service = (port) => `apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  ports:\n  - port: ${port}\n`;

describe("the page before its engine is there", { timeout: groupTime }, () => {
  test("shows what its entries and examples lead to, as the engine does afterwards", async () => {
    const seen = (page) =>
      page.evaluate(() => [
        document.querySelector("#object h2").textContent,
        document.querySelector("#panel").textContent,
      ]);
    for (const fragment of ["", "#conflict", "#reverted"]) {
      const { page, release, done } = await visit({ fragment });
      await shown(page);
      await settled(page);
      assert.equal(await page.locator("#loading").isVisible(), true);
      const early = await seen(page);
      release();
      await page.locator("#loading").waitFor({ state: "hidden" });
      await editor(page).press("End"); // the same text is run again, by the engine
      await page.keyboard.type(" ");
      await page.keyboard.press("Backspace");
      await settled(page);
      await page.waitForFunction((text) => document.querySelector("#panel").textContent === text, early[1]);
      assert.deepEqual(await seen(page), early);
      await done();
    }
  });

  for (const [window, viewport] of [
    ["a phone", { width: 390, height: 844 }],
    ["a low window", { width: 844, height: 390 }],
    ["a desktop", { width: 1440, height: 900 }],
  ]) {
    test(`begins with the introduction on ${window}, although the conflict is further down`, async () => {
      const { page, release, done } = await visit({ viewport });
      release();
      await page.locator("#loading").waitFor({ state: "hidden" });
      await settled(page);
      assert.equal(await page.evaluate(() => scrollY), 0);
      if (viewport.height > 800) assert.ok(await page.locator("#promise").isVisible());
      if (viewport.width > 1024)
        assert.ok(
          await page.locator("#request .cm-scroller").evaluate((e) => e.scrollTop > 0),
          "the editor shows the conflict",
        );
      await done();
    });
  }

  test("shows the view that is chosen on a phone, although it is below the introduction", async () => {
    const { page, release, done } = await visit({ viewport: { width: 360, height: 740 } });
    release();
    await settled(page);
    for (const [name, part] of [
      ["Object", "#object-title"],
      ["Request", "#request"],
      ["Result", "#panel .tabs"],
    ]) {
      await page.evaluate(() => scrollTo(0, 0));
      await page.locator("#bar-views").getByRole("button", { name }).click();
      const top = await page
        .locator(part)
        .first()
        .evaluate((e) => e.getBoundingClientRect().top);
      assert.ok(top >= 0 && top < 370, `${name} begins at ${top}`);
    }
    await done();
  });

  test("answers a change when the engine is there, and claims nothing until then", async () => {
    const { page, release, done } = await visit();
    await shown(page);
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  colour: red\n");
    await page.getByText("The engine is still loading. The result appears when it is ready.").waitFor();
    assert.equal(await page.locator("#object").getAttribute("aria-busy"), "true");
    release();
    await row(page, "colour: red").waitFor();
    await settled(page);
    await done();
  });

  test("shows a link's manifest and live object as the text that they are", async () => {
    const { page: first, done: closed, release: go } = await visit();
    await shown(first);
    const object =
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: linked\n  namespace: default\ndata:\n  size: large\n";
    const fragment = await first.evaluate(
      async ([object, body]) => {
        const target = { apiVersion: "", kind: "", namespace: "", name: "" };
        const scenario = {
          title: "Mine",
          about: "",
          kubernetes: "",
          definitions: [],
          objects: [object],
          actors: [{ name: "me", colour: "" }],
          steps: [{ actor: "me", do: "force-apply", subresource: "", target, body, note: "" }],
        };
        const stream = new Blob([JSON.stringify({ scenario, at: 1, object: 0 })])
          .stream()
          .pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        return (
          "#v1=" +
          btoa(String.fromCharCode(...bytes))
            .replaceAll("+", "-")
            .replaceAll("/", "_")
            .replaceAll("=", "")
        );
      },
      [object, object.replace("large", "small")],
    );
    go();
    await closed();
    const { page, release, done } = await visit({ fragment });
    await editor(page).getByText("size: small").waitFor();
    const known = page.locator("#object .none-yet");
    await known.getByText("size: large").waitFor();
    assert.match(await known.textContent(), /The engine is loading/);
    release();
    await row(page, "size: small").waitFor();
    await owned(page, "size: small", "M");
    await done();
  });

  for (const [file, message] of [
    [/\/index-[^/]*\.js$/, "The page could not be loaded completely. Reload it to try again."],
    [/engine-[^/]*\.wasm$/, "The engine could not be started"],
  ]) {
    test(`says so if ${file} cannot be loaded`, async () => {
      const context = await newContext({ viewport: { width: 1440, height: 900 } });
      await context.route(file, (route) => route.abort());
      const page = await context.newPage();
      await page.goto(address());
      await page.locator("#loading", { hasText: message }).waitFor();
      await context.close();
    });
  }

  test("says so if the examples cannot be loaded", async () => {
    const context = await newContext({ viewport: { width: 1440, height: 900 } });
    await context.route(/examples-[^/]*\.js$/, (route) => route.abort());
    const page = await context.newPage();
    await page.goto(address());
    await shown(page);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("dialog").getByText("The examples could not be loaded").waitFor();
    await context.close();
  });

  test("its message while the engine loads fits into a narrow window", async () => {
    const { page, release, done } = await visit({ viewport: { width: 360, height: 740 } });
    await shown(page);
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n");
    const message = page.getByText("The engine is still loading. The result appears when it is ready.");
    await message.waitFor();
    const [{ height, width }, card] = [await message.boundingBox(), await page.locator("#loading").boundingBox()];
    assert.ok(width > 300 && height < 60, `${width} x ${height}`);
    assert.ok((await message.boundingBox()).y + height <= card.y, "above the progress");
    release();
    await done();
  });
});

describe("the page that is loaded again", { timeout: groupTime }, () => {
  const mine = (colour) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  colour: ${colour}\n`;
  const seen = (page) =>
    page.evaluate(() =>
      ["#object h2", "#object .counters", "#panel"].map((part) => document.querySelector(part).textContent),
    );

  /** again loads the page with something else in its storage, and with its engine held back. */
  async function again({ page, hold }, edit = () => undefined, given = null) {
    hold();
    await page.evaluate(edit, given);
    await page.evaluate(() =>
      addEventListener("pagehide", (event) => event.stopImmediatePropagation(), { capture: true }),
    );
    await page.reload();
  }

  /** begun opens the page and waits until the answers to a text are kept. */
  async function begun() {
    const visitor = await visit({ kept: false });
    const { page, release } = visitor;
    release();
    await shown(page);
    await page.locator("#loading").waitFor({ state: "hidden" });
    await write(page, editor(page), mine("red"));
    await row(page, "colour: red").waitFor();
    await page.waitForFunction(() => localStorage.getItem("patchlab.playground.answers")?.includes("colour: red"));
    return visitor;
  }

  test("shows what it showed before, without its engine", async () => {
    const visitor = await begun();
    const { page, release, done } = visitor;
    const before = await seen(page);
    await again(visitor);
    await row(page, "colour: red").waitFor();
    assert.equal(await page.locator("#loading").isVisible(), true, "the engine is not there yet");
    assert.deepEqual(await seen(page), before);
    release();
    await page.locator("#loading").waitFor({ state: "hidden" });
    await write(page, editor(page), mine("green"));
    await row(page, "colour: green").waitFor();
    await done();
  });

  test("shows another state only when its engine has answered", async () => {
    const visitor = await begun();
    const { page, release, done } = visitor;
    await again(
      visitor,
      ([from, to]) => {
        for (const store of [sessionStorage, localStorage])
          store.setItem("patchlab.playground.v1", store.getItem("patchlab.playground.v1").replaceAll(from, to));
      },
      ["colour: red", "colour: gray"],
    );
    await editor(page).getByText("colour: gray").waitFor();
    await page.locator("#object .none-yet").waitFor();
    assert.equal(await row(page, "colour").count(), 0);
    release();
    await row(page, "colour: gray").waitFor();
    await done();
  });

  test("shows nothing that other engines have answered", async () => {
    const visitor = await begun();
    const { page, release, done } = visitor;
    await again(visitor, () => {
      const kept = JSON.parse(localStorage.getItem("patchlab.playground.answers"));
      localStorage.setItem(
        "patchlab.playground.answers",
        JSON.stringify({ ...kept, engines: kept.engines.replace("engine-", "engine-of-before-") }),
      );
    });
    await editor(page).getByText("colour: red").waitFor();
    await page.locator("#object .none-yet").waitFor();
    assert.equal(await row(page, "colour").count(), 0);
    release();
    await row(page, "colour: red").waitFor();
    await done();
  });
});

describe("the complete engine", { timeout: groupTime }, () => {
  test("comes by itself, and what was shown before is validated then", async () => {
    const complete = completeName();
    const { page, release, done } = await visit({ held: new RegExp(complete) });
    await shown(page);
    await page.locator("#loading").waitFor({ state: "hidden" });
    await write(page, editor(page), service(99999));
    await page.locator("#object h2", { hasText: "Service web" }).waitFor();
    await unvalidated(page).getByText("The values of built-in kinds are not validated yet.").waitFor();
    release();
    await page.locator("#panel").getByText("Invalid value: 99999").first().waitFor();
    await unvalidated(page).waitFor({ state: "hidden" });
    assert.match(await editor(page).textContent(), /99999/);
    await done();
  });

  test("is not loaded unasked where data is to be saved, but by a button and by what needs it", async () => {
    const complete = completeName();
    const { page, context, done, release } = await visit({ held: /nothing/, slow: true });
    const asked = [];
    context.on("request", (request) => request.url().endsWith(complete) && asked.push(request.url()));
    await shown(page);
    await page.locator("#loading").waitFor({ state: "hidden" });
    await write(page, editor(page), service(99999));
    const button = page.getByRole("button", { name: /^Load the validation \(\d\.\d MB\)$/ });
    await button.waitFor();
    await page.waitForTimeout(4000); // longer than the page waits for an idle moment
    assert.deepEqual(asked, []);
    await button.click();
    await page.locator("#panel").getByText("Invalid value: 99999").first().waitFor();
    assert.ok(asked.length > 0);
    await done();
    release();
  });

  test("works offline once it was there, as the embedded page does", async () => {
    const site = await host("/off/line/");
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(site.url);
    await shown(page);
    await page.evaluate(async (name) => {
      await navigator.serviceWorker.ready;
      while (!(await caches.match(name))) await new Promise((later) => setTimeout(later, 50));
    }, completeName());
    site.state.offline = true;
    const embedded = await context.newPage();
    await embedded.goto(`${site.url}?embed=object`);
    await shown(embedded);
    assert.equal(await embedded.locator("#toolbar").isVisible(), false);
    await page.reload();
    await shown(page);
    await write(page, editor(page), service(99999));
    await page.locator("#panel").getByText("Invalid value: 99999").first().waitFor();
    await context.close();
    await site.close();
  });

  // Both forms of the page are kept, since they come with other rules of who may frame them.
  test("is kept beside both forms of the page, each with its own headers", async () => {
    const site = await host("/", (url) => ({ "X-Form": url.search }));
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(site.url);
    await page.evaluate(() => navigator.serviceWorker.ready);
    site.state.offline = true;
    const form = async (query) => (await page.goto(site.url + query)).headers()["x-form"];
    assert.deepEqual(
      [await form("?embed"), await form("?embed=result&readonly"), await form(""), await form("?theme=dark")],
      ["?embed", "?embed", "", ""],
    );
    await context.close();
    await site.close();
  });
});

/** completeName is the file of the complete engine, the one that the service worker keeps later. */
function completeName() {
  const worker = readFileSync(new URL("../dist/sw.js", import.meta.url), "utf8");
  return /"?complete"?:"\.\/(assets\/engine-[^"]*\.wasm)/.exec(worker)[1];
}
