// The object: the states that it had, its lines, and their owners.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, detail, editor, end, example, forward, live, open, owned, row, settled, write } from "./visit.mjs";

before(begin);
after(end);

describe("the object", { timeout: groupTime }, () => {
  test("moves in time, by buttons and by keys, and shows what a step changed", async () => {
    const { page, done } = await open();
    await example(page, "Handing replicas to an autoscaler");
    await forward(page);
    await page.locator("#object .cm-line.added", { hasText: "replicas: 7" }).waitFor();
    assert.equal(await page.locator("#object .cm-line.removed", { hasText: "replicas: 3" }).count(), 1);
    assert.match(await page.locator(".counters").textContent(), /resourceVersion \d+ → \d+.*generation 1 → 2/);
    await page.keyboard.press("Alt+ArrowLeft");
    await row(page, "replicas: 3").waitFor();
    await page.keyboard.press("Alt+End");
    await page.getByText("step 4 of 4").first().waitFor();
    await page.getByLabel("Changes since").selectOption("1");
    await page.locator("#object .cm-line.removed", { hasText: "replicas: 3" }).waitFor();
    await page.keyboard.press("Alt+Home");
    await page.getByText("No object yet").waitFor();
    await done();
  });

  test("says of a line whose it is, since when, how it merges, and what that means", async () => {
    const { page, done } = await open();
    await example(page, "Two managers in one list of containers");
    await forward(page);
    await row(page, "image: example.com/proxy:4").hover();
    await detail(page, "since step 2").waitFor();
    await detail(page, /containers\[name="proxy"\]\.image.*owned.*single value/).waitFor();
    await row(page, "image: example.com/proxy:4").click();
    assert.match(await page.locator("#object .blame").textContent(), /: Apply at 2026/);
    for (const [text, want] of [
      ["uid:", "set by the API server"],
      ["name: ", "identity"],
      ["revisionHistoryLimit:", "default"],
      ["containers:", "keyed list (name)"],
    ]) {
      await row(page, text).first().hover();
      await detail(page, want).waitFor();
    }
    await row(page, "uid:").hover();
    await detail(page, "It cannot be changed").waitFor();
    assert.doesNotMatch(await detail(page, "").textContent(), /without a conflict/);
    assert.match(await detail(page, "").getByRole("link").getAttribute("href"), /^https:\/\/kubernetes\.io\//);
    await done();
  });

  test("keeps describing the line under the pointer when a new result arrives", async () => {
    const { page, done } = await open();
    await example(page, "The first conflict");
    await forward(page);
    await row(page, "colour: blue").hover();
    await detail(page, ".data.colour").waitFor();
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: green\n",
    );
    await row(page, `colour: blue.*wants .*green`).waitFor();
    await settled(page);
    assert.match(await detail(page, "").textContent(), /^\.data\.colour/);
    await done();
  });

  test("shows only an owner's lines, hides what the server sets, folds and searches", async () => {
    const { page, done } = await open();
    await example(page, "Handing replicas to an autoscaler");
    await forward(page);
    await page.getByRole("button", { name: "Hide server fields" }).click();
    await row(page, "uid:").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show server fields" }).click();
    await row(page, "uid:").waitFor();
    await page.getByLabel("Owners: select one").getByRole("button", { name: "autoscaler" }).click();
    await row(page, "name: web").waitFor({ state: "detached" });
    assert.equal(await page.locator("#object .cm-line").count(), 2); // spec and replicas
    await page.getByLabel("Owners: select one").getByRole("button", { name: "autoscaler" }).click();
    await row(page, "replicas: 7").click();
    await page.keyboard.press("Control+f");
    await page.locator("#object .cm-search input[name=search]").pressSequentially("dnsPolicy");
    await page.keyboard.press("Enter");
    await page.locator("#object .cm-searchMatch-selected", { hasText: "dnsPolicy" }).waitFor();
    await page.locator("#object .cm-search input[name=search]").pressSequentially("zzz");
    await page.locator("#object .cm-search output", { hasText: "No match" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#object .rows .fold", { hasText: "▾" }).first().click();
    await page.locator("#object .cm-foldPlaceholder").waitFor();
    await done();
  });

  test("has letters of their own for managers whose names have a slash, and for a subresource that of its manager", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await write(
      page,
      page.getByRole("dialog").locator(".cm-content"),
      live
        .replace("manager: helm", "manager: example.com/zoo")
        .replace("manager: autoscaler", "manager: example.com/yak"),
    );
    await page.getByRole("dialog").getByRole("button", { name: "Start with this object" }).click();
    await owned(page, "image:", "E");
    await owned(page, "replicas: 7", "X");
    await page.getByRole("button", { name: "Write the manifest" }).click();
    await page.getByRole("combobox", { name: "Request" }).selectOption("merge-patch");
    await write(page, editor(page), '{"spec":{"replicas":8}}');
    const owners = page.locator("#panel .changes li", { hasText: ".spec.replicas" }).locator(".transfer .chip");
    await owners.first().waitFor();
    assert.deepEqual(await owners.allTextContents(), ["Xexample.com/yak/scale", "Ggitops"]);
    await done();
  });

  test("wraps its lines in a window that becomes narrow", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Close the introduction" }).click();
    const wraps = page.locator("#object .cm-lineWrapping");
    assert.equal(await wraps.count(), 0);
    await page.setViewportSize({ width: 390, height: 844 });
    await wraps.waitFor({ state: "attached" });
    await page.setViewportSize({ width: 1280, height: 800 });
    await wraps.waitFor({ state: "detached" });
    await done();
  });
});
