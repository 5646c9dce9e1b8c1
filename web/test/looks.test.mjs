// Each state of the page, at three widths, light and dark: accessible by axe, no wider
// than the window, with a picture of it for people to look at.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, detail, end, example, live, open, row, settled, tab, write } from "./visit.mjs";

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const screenshots = new URL("../screenshots/", import.meta.url).pathname;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  await begin();
});
after(end);

/** A view is a part of the page, which narrow screens show one at a time. */
const view = async (page, name) => {
  const button = page.locator(`#bar-views [data-view=${name}]`);
  if (await button.isVisible()) await button.click();
};
/** more opens a dialog of the toolbar; narrow screens have some of its buttons in "More". */
const more = async (page, name) => {
  const button = page.locator("#tools").getByRole("button", { name, exact: true });
  if (await button.isVisible()) return button.click();
  await page.getByRole("button", { name: "More", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
};

/** smallTargets returns the visible controls that are lower than a number of pixels, and the inputs whose letters are smaller than another. */
const smallTargets = (page, height, letters) =>
  page.evaluate(
    ([height, letters]) => {
      const deep = (root) =>
        [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? deep(e.shadowRoot) : [])]);
      return deep(document)
        .filter(
          (e) =>
            e.matches("button, select, input") &&
            e.checkVisibility() &&
            !e.matches(".cm-panel *, button.path, .sr-only"),
        )
        .filter(
          (e) =>
            (e.type === "checkbox" ? e.closest("label") : e).getBoundingClientRect().height < height ||
            (e.matches("select, input:not([type=checkbox])") && parseFloat(getComputedStyle(e).fontSize) < letters),
        )
        .map((e) => e.outerHTML.slice(0, 90));
    },
    [height, letters],
  );

/** spareWidth returns how much wider a select is than the text of its selected option. */
function spareWidth(select) {
  const text = document.createElement("span");
  text.textContent = select.selectedOptions[0].textContent;
  text.style.cssText = "position:absolute;white-space:nowrap";
  select.parentElement.append(text);
  text.style.font = getComputedStyle(select).font;
  const { width } = text.getBoundingClientRect();
  text.remove();
  return select.getBoundingClientRect().width - width;
}

describe("the page is accessible and fit to see", { timeout: groupTime }, () => {
  for (const [width, height, size] of [
    [1440, 900, "desktop"],
    [1024, 768, "tablet"],
    [390, 844, "phone"],
    [320, 640, "small"],
  ]) {
    for (const colorScheme of size === "small" ? ["light"] : ["light", "dark"]) {
      test(`${size}, ${colorScheme}`, async () => {
        const { page, done } = await open({
          viewport: { width, height },
          colorScheme,
          reducedMotion: "reduce",
          bypassCSP: true,
          hasTouch: width < 720,
        });
        const problems = [];
        const look = async (name) => {
          await page.screenshot({ path: `${screenshots}${size}-${colorScheme}-${name}.png` });
          await page.evaluate(axe);
          const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          problems.push(
            ...found.violations.map(
              (v) =>
                `${name}: ${v.id}: ${v.nodes
                  .slice(0, 3)
                  .map((n) => n.html.slice(0, 160))
                  .join(" | ")}`,
            ),
          );
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          if (overflow > 0) problems.push(`${name}: ${overflow} pixels wider than the window`);
          const beside = await page.evaluate(
            () => [...document.querySelectorAll("dialog[open]")].map((e) => e.scrollWidth - e.clientWidth)[0] ?? 0,
          );
          if (beside > 0) problems.push(`${name}: the dialog is ${beside} pixels wider inside, so it has a scrollbar`);
        };
        await page.getByText("409").first().waitFor({ state: "attached" });
        await look("start");
        await page.getByRole("button", { name: "Close the introduction" }).click();
        await page.getByRole("button", { name: "Force" }).click();
        await page.getByRole("button", { name: "Resolve this way" }).waitFor();
        await look("conflict");
        await example(page, "Handing replicas to an autoscaler");
        await page.keyboard.press("Alt+ArrowRight");
        await settled(page);
        await view(page, "object");
        await row(page, "replicas: 7").click();
        await detail(page, "since step").waitFor();
        await look("object");
        await view(page, "result");
        await page.locator(".reason").first().waitFor();
        await look("result");
        await tab(page, "managedFields").click();
        await page.locator(".trees").waitFor();
        await look("managed");
        await tab(page, "Compare patches").click();
        await page.getByText("Edit the object below").waitFor();
        const intent = page.locator("#panel .editor .cm-content");
        await write(page, intent, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n");
        await page.locator(".patch").nth(3).waitFor();
        await look("patches");
        for (const [name, ready] of [
          ["Examples", ".menu li:nth-child(12)"],
          ["CRDs", ".drop"],
          ["Share", ".row.link"],
          ["More", ".stack"],
          ["Help", ".keys"],
        ]) {
          await more(page, name);
          await page.getByRole("dialog").locator(ready).waitFor();
          await look(name.toLowerCase().replace(" ", "-"));
          await page.getByRole("button", { name: "Close", exact: true }).click();
        }
        await more(page, "Paste object");
        await write(
          page,
          page.getByRole("dialog").locator(".cm-content"),
          live.replace(/ {2}managedFields:[^]*?(?= {2}name: web)/, "") +
            "---\napiVersion: lab.example.com/v1\nkind: Gizmo\nmetadata: {name: g}\n",
        );
        await page.getByText("kubectl hides them by default").waitFor();
        await look("paste");
        await write(page, page.getByRole("dialog").locator(".cm-content"), live);
        await page.getByRole("button", { name: "Start with this object" }).click();
        await view(page, "result");
        await page.getByText("Now apply a manifest").waitFor({ state: "attached" });
        await look("live");
        assert.deepEqual(problems, []);
        await done();
      });
    }
  }

  test("on a phone all targets of a conflict are 44 pixels high, inputs have 16 pixel letters", async () => {
    const { page, done } = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    await page.getByRole("button", { name: "Close the introduction" }).tap();
    const card = page.getByRole("group", { name: "Conflict at" });
    await card.getByRole("button", { name: "Drop the field" }).tap();
    await card.getByRole("button", { name: "Resolve this way" }).waitFor();
    assert.match(await page.locator('.pills [data-step="2"]').innerText(), /⚡/, "a touch takes nothing yet");
    const small = () => smallTargets(page, 44, 16);
    assert.deepEqual(await small(), []);
    await card.getByRole("button", { name: "Resolve this way" }).tap();
    await page.locator('.pills [data-step="2"][data-outcome=good]').waitFor();
    const bar = await page.locator("#bar").boundingBox();
    assert.ok(bar.y + bar.height <= 845 && bar.y > 600, "the bar stays at the foot");
    for (const name of ["story", "object", "result"]) {
      await view(page, name);
      assert.deepEqual(await small(), [], name);
    }
    for (const name of ["Share", "More", "Paste object", "Lessons", "CRDs"]) {
      await more(page, name);
      assert.deepEqual(await small(), [], name);
      await page.getByRole("button", { name: "Close", exact: true }).tap();
    }
    await done();
  });

  test("on a tablet and on a phone on its side all targets are 40 pixels high", async () => {
    for (const [width, height] of [
      [844, 390],
      [1024, 768],
    ]) {
      const { page, done } = await open({ viewport: { width, height }, hasTouch: true, isMobile: true });
      await settled(page);
      assert.deepEqual(await smallTargets(page, 40, 0), [], `${width} x ${height}`);
      await more(page, "CRDs");
      assert.deepEqual(await smallTargets(page, 40, 0), [], `the definitions at ${width} x ${height}`);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      await done();
    }
  });

  test("the toolbar takes one row, on phones two, and the object the rest", async () => {
    for (const [width, height, most] of [
      [1280, 800, 49],
      [768, 1024, 49],
      [720, 900, 49],
      [360, 740, 98],
      [320, 640, 98],
    ]) {
      const { page, done } = await open({ viewport: { width, height }, hasTouch: width < 720, isMobile: width < 720 });
      const toolbar = await page.locator("#toolbar").boundingBox();
      assert.ok(toolbar.height <= most, `${toolbar.height} pixels high at ${width}`);
      if (width === 360) {
        assert.ok(await page.getByRole("button", { name: "Redo" }).isVisible());
        await page.getByRole("button", { name: "Close the introduction" }).tap();
        await example(page, "Handing replicas to an autoscaler");
        await page.getByRole("button", { name: "Close this message" }).tap();
        for (let i = 0; i < 3; i++)
          await page.getByRole("button", { name: "Run one step" }).filter({ visible: true }).tap();
        await settled(page);
        await view(page, "object");
        const spare = await page.getByLabel("Changes since").evaluate(spareWidth);
        assert.ok(spare >= 36, `the chosen step leaves ${spare} pixels for the padding and the arrow`);
        const [listing, detail, bar] = await Promise.all(
          ["#object .listing", "#object .detail", "#bar"].map((name) => page.locator(name).boundingBox()),
        );
        assert.ok(listing.height > 300, `${listing.height} pixels of the object`);
        assert.ok(
          Math.abs(listing.y + listing.height - detail.y) <= 1 && Math.abs(detail.y + detail.height - bar.y) <= 4,
          "no gap between the object, its description and the bar",
        );
      }
      await done();
    }
  });

  test("the ways out of the first conflict are in view, also in the low window of a laptop", async () => {
    for (const [width, height] of [
      [1440, 900],
      [1440, 760],
      [1280, 720],
      [1280, 640],
    ]) {
      const { page, done } = await open({ viewport: { width, height } });
      await settled(page);
      const last = page.locator("#request .card button").last();
      await last.waitFor();
      const visible = await last.evaluate(
        (b) => new Promise((found) => new IntersectionObserver(([entry]) => found(entry.intersectionRatio)).observe(b)),
      );
      assert.equal(visible, 1, `the part in view of ${await last.textContent()} at ${width} x ${height}`);
      await done();
    }
  });

  test("a long name of a manager fits into every part of the page", async () => {
    const manifest = (colour) =>
      JSON.stringify(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: ${colour}}\n`);
    const name = "a-controller-with-a-very-long-name.operators.example.com-0123456789";
    const file = `scenario: patchlab.dev/v1\nactors: [{name: ${name}}, {name: bob}]\nsteps:\n- {actor: ${name}, do: apply, body: ${manifest("blue")}}\n- {actor: bob, do: apply, body: ${manifest("red")}}\n`;
    for (const [width, height] of [
      [1280, 800],
      [768, 1024],
      [360, 740],
    ]) {
      const { page, done } = await open({ viewport: { width, height } });
      await page.getByRole("button", { name: "More" }).click();
      await page
        .getByRole("dialog")
        .locator("input[type=file]")
        .setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
      await page.locator("#story .step", { hasText: name }).first().waitFor({ state: "attached" });
      await page.keyboard.press("Alt+End");
      await page.locator("#panel .conflicts").waitFor({ state: "attached" });
      for (const [part, tabName] of [
        ["story"],
        ["request"],
        ["object"],
        ["result", "Result"],
        ["result", "managedFields"],
        ["result", "Compare patches"],
      ]) {
        await view(page, part);
        if (tabName) await tab(page, tabName).click();
        await settled(page);
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll(".chip, select, button, #panel p")]
            .filter((e) => e.checkVisibility() && !e.closest(".legend, .pills"))
            .filter((e) => {
              const pane = e.closest(".pane");
              return pane && e.getBoundingClientRect().right > pane.getBoundingClientRect().right;
            })
            .map((e) => e.outerHTML.slice(0, 120)),
        );
        assert.deepEqual(wide, [], `${tabName ?? part} at ${width}`);
        if (width >= 720)
          assert.equal(await page.locator(".legend").evaluate((e) => e.scrollWidth > e.clientWidth), false);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
      }
      await done();
    }
  });

  test("primary buttons can be read when pointed at", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, done } = await open({ colorScheme, bypassCSP: true });
      await page.getByRole("button", { name: "Share", exact: true }).hover();
      await page.evaluate(axe);
      const found = await page.evaluate(() =>
        globalThis.axe.run(document.querySelector("#tools"), { runOnly: ["color-contrast"] }),
      );
      assert.deepEqual(found.violations, []);
      await done();
    }
  });

  test("the type of a forced apply is shown in full", async () => {
    for (const [width, height] of [
      [1280, 800],
      [768, 1024],
      [390, 844],
      [320, 640],
    ]) {
      const { page, done } = await open({ viewport: { width, height } });
      const type = page.getByRole("combobox", { name: "Request", exact: true });
      await type.selectOption("force-apply");
      await page.locator("#story .step.selected", { hasText: "(force)" }).waitFor({ state: "attached" });
      await settled(page);
      const spare = await type.evaluate(spareWidth);
      assert.ok(spare >= 30, `${spare} pixels for the padding and the arrow at ${width}`);
      assert.ok(
        await type.evaluate((e) => e.getBoundingClientRect().right <= e.closest(".pane").getBoundingClientRect().right),
        `within its pane at ${width}`,
      );
      await done();
    }
  });

  test("hints in inputs can be read", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, done } = await open({ colorScheme });
      await page.getByRole("button", { name: "Examples" }).click();
      const contrast = await page.getByRole("searchbox").evaluate((input) => {
        const luminance = (colour) =>
          colour
            .match(/[\d.]+/g)
            .slice(0, 3)
            .map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
            .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
        const [dark, light] = [getComputedStyle(input).backgroundColor, getComputedStyle(input, "::placeholder").color]
          .map(luminance)
          .sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
      });
      assert.ok(contrast >= 4.5, `${contrast} in ${colorScheme}`);
      await done();
    }
  });

  test("prints the whole object with its owners", async () => {
    const { page, done } = await open();
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    await page.emulateMedia({ media: "print" });
    assert.match(await page.locator("#print").innerText(), /ConfigMap settings[^]*colour: blue[^]*uid:/);
    assert.deepEqual(
      await page
        .locator("#print .letter")
        .evaluateAll((letters) => letters.filter((e) => getComputedStyle(e).printColorAdjust !== "exact").length),
      0,
      "without their background, letters are white on white",
    );
    assert.equal(await page.locator("#page").isVisible(), false);
    await page.emulateMedia({ media: null });
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("#print").count(), 0);
    await done();
  });
});
