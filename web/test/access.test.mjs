// What a visitor with a screen reader, a keyboard or a small screen needs.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, settled, write } from "./visit.mjs";

before(begin);
after(end);

const focused = (page) => page.evaluate(() => document.activeElement.dataset.key ?? document.activeElement.id);

describe("access", { timeout: groupTime }, () => {
  test("the result of a step is announced when it changes", async () => {
    const { page, done } = await open();
    const announcement = page.locator('#announcement[aria-live="polite"]');
    await announcement.getByText("Step 2: 409, 1 conflict").waitFor({ state: "attached" });
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  shape: round\n",
    );
    await announcement.getByText("Step 2: 200", { exact: true }).waitFor({ state: "attached" });
    await page.keyboard.press("Alt+ArrowLeft");
    await announcement.getByText("Step 1: 201", { exact: true }).waitFor({ state: "attached" });
    await done();
  });

  test("the focus stays in the page when what had it is hidden or disabled", async () => {
    const { page, done } = await open();
    await page.getByRole("link", { name: "See a conflict" }).press("Enter");
    await page.getByText("Opened “The first conflict”").waitFor();
    assert.equal(await focused(page), "page");
    await page.getByRole("button", { name: "Earlier" }).press("Enter");
    await settled(page);
    assert.equal(await focused(page), "later");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await focused(page), "earlier");
    await done();
  });

  for (const [platform, word, step] of [
    ["MacIntel", "moves the cursor", 2],
    ["Linux x86_64", "goes to the step before", 1],
  ]) {
    test(`Alt and an arrow in an editor ${word} on ${platform}`, async () => {
      const { page, done } = await open({}, "", (context) =>
        context.addInitScript(
          (platform) => Object.defineProperty(Navigator.prototype, "platform", { get: () => platform }),
          platform,
        ),
      );
      await editor(page).focus();
      await page.keyboard.press("Alt+ArrowLeft");
      await settled(page);
      await page.getByRole("heading", { name: `Step ${step}`, exact: true }).waitFor();
      await page.locator("#object .cm-content").focus();
      await page.keyboard.press(step === 1 ? "Alt+ArrowRight" : "Alt+ArrowLeft");
      await page.getByRole("heading", { name: `Step ${3 - step}`, exact: true }).waitFor();
      await done();
    });
  }

  test("Alt and an arrow do not change the step behind a dialog", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Examples" }).press("Enter");
    await page.getByRole("searchbox").focus();
    await page.keyboard.press("Alt+ArrowLeft");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await settled(page);
    await page.getByRole("heading", { name: "Step 2", exact: true }).waitFor();
    await done();
  });

  test("a dialog that is closed gives the focus back, and takes it from nothing that has it since", async () => {
    const { page, done } = await open();
    const inEditor = () => page.evaluate(() => document.activeElement.closest("#request .editor") !== null);
    await page.getByRole("button", { name: "Examples" }).press("Enter");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Examples");
    await page.getByRole("button", { name: "Examples" }).press("Enter");
    await page.getByRole("dialog").waitFor();
    await editor(page).evaluate((content) => {
      document.querySelector("dialog").close();
      content.focus();
    });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.ok(await inEditor(), "the browser reports later that the dialog was closed");
    await done();
  });

  test("a pressed button and the selected step can be recognized with forced colors", async () => {
    const { page, done } = await open({ forcedColors: "active" });
    const outlined = (target) => target.evaluate((e) => getComputedStyle(e).outlineStyle);
    assert.equal(await outlined(page.locator(".step.selected")), "solid");
    assert.equal(await outlined(page.locator(".step.selected .head")), "none", "once");
    const owner = page.locator(".legend").getByRole("button", { name: "alice" });
    assert.equal(await outlined(owner), "none");
    await owner.click();
    assert.equal(await outlined(owner), "solid");
    const way = page.getByRole("button", { name: "Force" }).first();
    await way.click();
    await page.getByText("The request succeeds").first().waitFor();
    await page.mouse.click(1, 1); // the focus has an outline too
    assert.equal(await outlined(way), "solid");
    await done();
  });

  test("the heading of a step is one line on a screen of 320 pixels", async () => {
    const { page, done } = await open({ viewport: { width: 320, height: 640 } });
    const { height } = await page.locator("#request h2", { hasText: "Step 2" }).boundingBox();
    assert.ok(height < 30, `${height} pixels`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await done();
  });

  for (const [width, height] of [
    [768, 1024],
    [1024, 768],
  ]) {
    test(`the first visit shows the title of the scenario at ${width} × ${height}`, async () => {
      const { page, done } = await open({ viewport: { width, height } });
      await page.locator('#announcement:has-text("Step 2")').waitFor({ state: "attached" });
      assert.equal(await page.locator(".story-body").evaluate((e) => e.scrollTop), 0);
      await done();
    });
  }
});
