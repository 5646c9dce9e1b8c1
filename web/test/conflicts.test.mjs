// Conflicts: where they are shown, and how they are resolved in the manifest.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, example, forward, open, outcome, owned, row, write } from "./visit.mjs";

before(begin);
after(end);

describe("a conflict", { timeout: groupTime }, () => {
  test("shows the first conflict, its place, and who owns each line", async () => {
    const { page, done } = await open();
    await page.getByText("409").first().waitFor();
    await owned(page, "colour: blue", "A");
    await owned(page, "kind: ConfigMap", "");
    await row(page, "colour: blue.*bob wants").waitFor();
    assert.equal(await page.locator("#request .cm-bad").textContent(), "  colour: red");
    await page.getByRole("group", { name: "Conflict at .data.colour" }).waitFor();
    await page.getByRole("button", { name: "Resolve conflict" }).click();
    assert.ok(await editor(page).evaluate((e) => e.getRootNode().activeElement === e));
    await done();
  });

  test("offers three resolutions beside the field, each previewed before it is taken", async () => {
    const { page, done } = await open();
    for (const [name, text, owners] of [
      ["Force", "colour: red", "B"],
      ["Drop the field", "colour: blue", "A"],
      ["Adopt the value", "colour: blue", "AB"],
    ]) {
      await example(page, "The first conflict");
      await forward(page);
      const card = page.getByRole("group", { name: "Conflict at .data.colour" });
      await card.getByRole("button", { name }).press("Enter");
      await card.getByText("request succeeds (200)").waitFor();
      assert.match(await outcome(page, 2).textContent(), /409/, "a preview takes nothing");
      await card.getByRole("button", { name: "Resolve this way" }).press("Enter");
      await outcome(page, 2).getByText("✓ 200").waitFor();
      await owned(page, text, owners);
      assert.ok(
        await editor(page).evaluate((e) => e.getRootNode().activeElement === e),
        "the focus is in the manifest",
      );
      await page.locator("#notices").getByRole("button", { name: "Undo" }).click();
      await outcome(page, 2).getByText("✗ 409").waitFor();
    }
    await done();
  });

  test("ends a long value with an ellipsis beside the object, and has all of it in the result", async () => {
    const { page, done } = await open();
    await page.getByText("409").first().waitFor();
    const value = "x".repeat(200);
    await write(
      page,
      editor(page),
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: ${value}\n`,
    );
    await page.locator(".conflicts", { hasText: value }).waitFor();
    const wanted = page.locator("#object .wanted");
    assert.ok(
      await wanted.evaluate(
        (e) =>
          e.scrollWidth > e.clientWidth &&
          e.getBoundingClientRect().right < document.querySelector("#object").getBoundingClientRect().right,
      ),
    );
    assert.match(await wanted.getAttribute("title"), /x{200}/);
    await done();
  });

  test("has its own hint beside its field, if there are several", async () => {
    const { page, done } = await open();
    await example(page, "The first conflict");
    const claim = (cpu, memory) =>
      `apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: sizes\nspec:\n  hard:\n    cpu: ${cpu}\n    memory: ${memory}\n`;
    await write(page, editor(page), claim('"2"', "1Gi"));
    await outcome(page, 1).getByText("✓ 201").waitFor();
    await forward(page);
    await write(page, editor(page), claim("2000m", "2Gi"));
    await outcome(page, 2).getByText("✗ 409").waitFor();
    const fields = page.locator(".conflicts > li");
    await fields.nth(1).waitFor();
    const hinted = fields.filter({ hasText: "the two are the same quantity" });
    await hinted.waitFor();
    assert.equal(await hinted.count(), 1);
    assert.match(await hinted.textContent(), /^\.spec\.hard\.cpu/);
    assert.equal(
      await page.locator("#panel").getByText("the two are the same quantity").count(),
      1,
      "it is not repeated for all fields together",
    );
    await done();
  });

  test("has one card for a field with two owners, which follows what is typed", async () => {
    const { page, done } = await open();
    await page
      .getByRole("group", { name: "Conflict at .data.colour" })
      .getByRole("button", { name: "Adopt the value" })
      .click();
    await page.getByRole("button", { name: "Resolve this way" }).click();
    await outcome(page, 2).getByText("✓ 200").waitFor();
    await page.getByRole("button", { name: "+ Step as alice" }).click();
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: green\n";
    await page.locator("#request").getByLabel("Manager").selectOption("bob");
    await page.locator(".fold.actors summary").click();
    await page.getByRole("button", { name: "+ Manager" }).click();
    await page.locator("#request").getByLabel("Manager").selectOption("carol");
    await write(page, editor(page), text);
    const card = page.getByRole("group", { name: "Conflict at .data.colour" });
    await card.getByText("carol wants").waitFor();
    assert.equal(await card.count(), 1);
    assert.match(await card.textContent(), /alice.* and .*bob own .data.colour/);
    await card.getByRole("button", { name: "Force" }).click();
    await card.getByText("request succeeds (200)").waitFor();
    await write(page, editor(page), text.replace("green", "white"));
    await card.getByText(`wants "white"`).waitFor();
    assert.equal(await card.getByText("request succeeds (200)").count(), 0, "the preview is of the text before");
    await done();
  });

  test("keeps a manifest's comments where resolving a conflict changes it", async () => {
    const { page, done } = await open();
    await write(
      page,
      editor(page),
      "# bob's settings\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: red # my favourite\n  # round ones\n  shape: round\n",
    );
    const card = page.getByRole("group", { name: "Conflict at .data.colour" });
    await card.getByRole("button", { name: "Adopt the value" }).click();
    await card.getByRole("button", { name: "Resolve this way" }).click();
    await outcome(page, 2).getByText("✓ 200").waitFor();
    assert.match(
      await editor(page).innerText(),
      /# bob's settings[\s\S]*colour: blue # my favourite[\s\S]*# round ones/,
    );
    await done();
  });

  test("shows the first conflict of a pasted manifest", async () => {
    const { page, done } = await open();
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: red\n" +
        Array.from({ length: 80 }, (_, i) => `  key-${i}: a\n`).join(""),
    );
    const card = page.getByRole("group", { name: "Conflict at" });
    await card.waitFor();
    await page.waitForFunction(
      (card) => card.getBoundingClientRect().bottom <= innerHeight && card.getBoundingClientRect().top > 0,
      await card.elementHandle(),
    );
    await done();
  });

  test("is previewed within the width of the manifest, also if a line is longer", async () => {
    for (const viewport of [
      { width: 1280, height: 640 },
      { width: 390, height: 844 },
    ]) {
      const { page, done } = await open({ viewport });
      await write(
        page,
        editor(page),
        `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: red # ${"which it was before, ".repeat(9)}\n`,
      );
      const card = page.getByRole("group", { name: "Conflict at .data.colour" });
      await card.getByRole("button", { name: "Drop the field" }).click();
      await card.getByRole("button", { name: "Resolve this way" }).waitFor();
      assert.deepEqual(
        await card.evaluate((card) => {
          const { scrollLeft, scrollWidth, clientWidth } = card.closest(".cm-scroller");
          return [scrollLeft, scrollWidth - clientWidth];
        }),
        [0, 0],
        `at ${viewport.width}`,
      );
      await done();
    }
  });
});
