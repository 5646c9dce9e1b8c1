// Lessons: found, taken, answered, and remembered.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, end, open, owned, shown } from "./visit.mjs";

const axe = readFileSync(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
const screenshots = new URL("../screenshots/", import.meta.url).pathname;

before(async () => {
  mkdirSync(screenshots, { recursive: true });
  await begin();
});
after(end);

async function list(page) {
  await page.getByRole("button", { name: "Lessons", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Lessons" });
  await dialog.getByRole("heading", { name: "Patches and races", exact: true }).waitFor();
  return dialog;
}

async function take(page, title) {
  const dialog = await list(page);
  await dialog.getByRole("button", { name: title }).click();
  await page.getByRole("region", { name: title }).waitFor();
}

const verdict = (page) => page.locator(".lesson-verdict");

async function checkAxe(page, part) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate((part) => globalThis.axe.run(part), part);
  assert.deepEqual(
    violations.map((v) => `${v.id}: ${v.nodes[0].html}`),
    [],
  );
}

describe("lessons", { timeout: groupTime }, () => {
  test("are listed by group, and searched", async () => {
    const { page, done } = await open();
    const dialog = await list(page);
    const groups = await dialog.locator("section h3").allTextContents();
    assert.deepEqual(groups, [
      "First apply",
      "Sharing",
      "Conflicts",
      "Lists",
      "Moving from client-side apply",
      "Controllers and autoscalers",
      "Custom resources",
      "Patches and races",
    ]);
    assert.ok((await dialog.locator(".menu li").count()) >= 19);
    await checkAxe(page, "dialog");
    await dialog.getByRole("searchbox").fill("finalizers set");
    assert.deepEqual(await dialog.locator(".menu li:visible b").allTextContents(), ["A list that is a set"]);
    await dialog.getByRole("searchbox").fill("no such thing");
    await dialog.getByText("No matching lesson.").waitFor();
    await done();
  });

  test("ask before they show, say why, and are remembered", async () => {
    const { page, done } = await open();
    await take(page, "Who owns replicas now?");
    const lesson = page.locator("#lesson");
    await page.getByText("No object yet").first().waitFor();
    await lesson.getByRole("button", { name: "Run the step" }).click();
    await page.screenshot({ path: `${screenshots}lesson-question.png` });
    assert.equal(await page.locator("#object .cm-line", { hasText: "replicas: 7" }).count(), 0);
    assert.deepEqual(
      await page.locator(".steps .outcome:visible").allTextContents(),
      ["✓ 201"],
      "the results of later steps would answer the question",
    );
    await checkAxe(page, "#lesson");
    await lesson.getByRole("button", { name: "the autoscaler" }).click();
    await verdict(page).getByText("✓ Correct:").waitFor();
    await owned(page, "replicas: 7", "A");
    await page.screenshot({ path: `${screenshots}lesson-verdict.png` });
    await lesson.getByRole("button", { name: "Continue" }).press("Enter");
    await lesson.getByRole("button", { name: "Three replicas, until" }).click();
    await verdict(page).getByText("✗ Not quite. The answer:").waitFor();
    assert.match(await verdict(page).textContent(), /A conflict with the autoscaler\./);
    await checkAxe(page, "#lesson");
    await lesson.getByRole("button", { name: "Continue" }).press("Enter");
    await lesson.getByRole("button", { name: "seven" }).press("Enter");
    await lesson.getByText("2 of 3 correct").waitFor();
    await lesson.getByRole("button", { name: "Next: Status belongs to the controller" }).click();
    await page.getByRole("region", { name: "Status belongs to the controller" }).waitFor();
    await page.reload();
    await shown(page);
    const dialog = await list(page);
    assert.match(await dialog.getByRole("button", { name: "Who owns replicas now?" }).textContent(), /✓ 2 of 3/);
    await done();
  });

  test("whose results cannot be stored are remembered until the page is closed, which a message says", async () => {
    const { page, done } = await open({}, "", (context) =>
      context.addInitScript(() => {
        const { setItem } = Storage.prototype;
        Storage.prototype.setItem = function (name, text) {
          if (name === "patchlab.playground.lessons") throw new DOMException("full", "QuotaExceededError");
          setItem.call(this, name, text);
        };
      }),
    );
    const lesson = page.locator("#lesson");
    const message = page.locator("#notices .lasting");
    for (const title of ["What an apply owns", "Leaving a field out"]) {
      await take(page, title);
      while (!(await lesson.locator(".lesson-end").isVisible()))
        await lesson.locator(".choices button, .lesson-next").first().click();
      await message.getByText("your progress in the lessons is lost when the page is closed or reloaded").waitFor();
      assert.equal(await message.count(), 1);
      const dialog = await list(page);
      await dialog
        .getByRole("button", { name: title })
        .getByText(/✓ \d of \d/)
        .waitFor();
      await page.keyboard.press("Escape");
    }
    await done();
  });

  test("end where something else is opened, and can be left", async () => {
    const { page, done } = await open();
    await take(page, "Two managers, two values");
    await page.getByRole("button", { name: "Leave the lesson" }).click();
    assert.equal(await page.locator("#lesson").count(), 0);
    await take(page, "Two managers, two values");
    const dialog = await list(page);
    await dialog.getByRole("button", { name: "the examples" }).click();
    await page.getByRole("dialog", { name: "Examples" }).getByRole("button", { name: "Taking over by force" }).click();
    await page.locator("#lesson").waitFor({ state: "detached" });
    await done();
  });

  test("fit on a phone, in the dark too", async () => {
    for (const colorScheme of ["light", "dark"]) {
      const { page, done } = await open({
        viewport: { width: 390, height: 844 },
        hasTouch: true,
        isMobile: true,
        colorScheme,
      });
      await take(page, "A list with a key");
      await page.locator("#lesson").getByRole("button", { name: "Run the step" }).tap();
      const choice = page.locator("#lesson .choices button").first();
      await choice.waitFor();
      assert.ok((await choice.boundingBox()).height >= 44);
      assert.ok(
        await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        "nothing is wider than the screen",
      );
      await page.screenshot({ path: `${screenshots}lesson-phone-${colorScheme}.png` });
      await checkAxe(page, "#lesson");
      await done();
    }
  });
});
