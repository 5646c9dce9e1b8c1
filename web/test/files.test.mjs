// Scenarios from elsewhere, and for others: examples, links and files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { groupTime } from "./browser.mjs";
import { address, begin, editor, end, forward, newContext, open, outcome, row, shown, write } from "./visit.mjs";

before(begin);
after(end);

describe("a scenario", { timeout: groupTime }, () => {
  test("has at least twelve examples, which can be searched", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Examples" }).click();
    const items = page.getByRole("dialog").locator(".menu li");
    await items.nth(13).waitFor();
    for (const text of await items.locator("span").allTextContents()) assert.ok(text.length > 20, text);
    await page.getByRole("searchbox").fill("autoscaler");
    await items.filter({ hasText: "The first conflict", visible: true }).waitFor({ state: "detached" });
    await items.filter({ hasText: "Handing replicas", visible: true }).waitFor();
    await page.getByRole("searchbox").fill("nothing like it");
    await page.getByText("No matching example").waitFor();
    await page.keyboard.press("Escape");
    if (await page.getByRole("dialog").count()) await page.keyboard.press("Escape"); // the first one empties the search
    assert.equal(await page.getByRole("dialog").count(), 0);
    await done();
  });

  test("shares all in a link: two pages show the same; a link cut short is told", async () => {
    const { page, done } = await open();
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  mood: 🦀 é\n",
    );
    await row(page, 'mood: "?🦀').waitFor();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const link = await page.getByLabel("Link to this state").inputValue();
    const second = await open({}, new URL(link).hash);
    await row(second.page, "mood:").waitFor();
    assert.match(await second.page.title(), /The first conflict/);
    for (const { page: shown } of [{ page }, second]) await shown.getByText("Accepted.").waitFor(); // validated
    for (const part of ["#story", "#object h2", "#panel .verdict"]) {
      assert.equal(await second.page.locator(part).innerText(), await page.locator(part).innerText());
    }
    await second.done();
    const cut = await open({}, new URL(link).hash.slice(0, -20));
    await cut.page.getByText("incomplete or damaged").waitFor();
    await cut.page.getByText("409").first().waitFor();
    await cut.done();
    await done();
  });

  test("opens a case that is too long for an address, and says where it is gone", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const { hash } = new URL(await page.getByLabel("Link to this state").inputValue());
    for (const there of [true, false]) {
      const context = await newContext({ serviceWorkers: "block" });
      await context.route("**/case.txt", (route) => route.fulfill(there ? { body: hash } : { status: 404 }));
      const other = await context.newPage();
      await other.goto(`${address()}#case`);
      await shown(other);
      if (there) await other.locator(".about summary", { hasText: "The first conflict" }).waitFor();
      else await other.getByText("is no longer running").waitFor();
      assert.equal((await other.locator("html[data-begun]").count()) > 0, there);
      await context.close();
    }
    await done();
  });

  test("keeps expectations and a race of a scenario's file, in links and in files", async () => {
    const { page, done } = await open();
    const file = `scenario: patchlab.dev/v1
actors: [{name: a}, {name: b}]
steps:
- {actor: a, do: apply, body: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: x}\\ndata: {n: '1'}\\n", expect: {code: 201}}
race: [{actor: b, add: {.data.n: 2}}]
`;
    await page.getByRole("button", { name: "More" }).click();
    await page
      .getByRole("dialog")
      .locator("input[type=file]")
      .setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
    await row(page, "name: x").waitFor(); // reading a file may wait for the complete engine
    await outcome(page, 1).getByText("✓ 201").waitFor();
    await page.getByText("Expected result", { exact: true }).waitFor();
    await page.locator(".fold.actors summary").click();
    await page.getByLabel("Name", { exact: true }).nth(1).fill("bert");
    await page.keyboard.press("Tab");
    await page.reload();
    await shown(page);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const link = await page.getByLabel("Link to this state").inputValue();
    const packed = JSON.parse(inflateRawSync(Buffer.from(new URL(link).hash.slice(4), "base64url")).toString());
    assert.deepEqual(packed.scenario.steps[0].expect, { code: 201 });
    assert.deepEqual(packed.scenario.race, [{ add: { ".data.n": 2 }, actor: "bert" }]);
    const second = await open({}, new URL(link).hash);
    await second.page.getByRole("button", { name: "Share", exact: true }).click();
    assert.equal(new URL(await second.page.getByLabel("Link to this state").inputValue()).hash, new URL(link).hash);
    const [download] = await Promise.all([
      second.page.waitForEvent("download"),
      second.page.getByRole("dialog").getByRole("button", { name: "Scenario", exact: true }).click(),
    ]);
    const text = readFileSync(await download.path(), "utf8");
    assert.match(text, /race:\n- actor: bert\n  add:\n    \.data\.n: 2\n/);
    assert.match(text, /expect:\n    code: 201\n/);
    await second.done();
    await done();
  });

  test("saves a scenario file, a kubectl script and a Go test, and opens a file", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const saved = async (name) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("dialog").getByRole("button", { name, exact: true }).click(),
      ]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    const file = await saved("Scenario");
    assert.equal(file.name, "the-first-conflict.yaml");
    assert.match(file.text, /^about: .*scenario: patchlab\.dev\/v1/s);
    const script = await saved("kubectl script");
    assert.match(
      script.text,
      /^#!\/bin\/sh\n.*kubectl apply --server-side --field-manager=bob --namespace=default -f - <<'EOF'\n/s,
    );
    const go = await saved("Go test");
    assert.equal(go.name, "the_first_conflict_test.go");
    assert.match(go.text, /func TestTheFirstConflict\(.*FieldManager: "bob".*colour/s);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await page
      .getByRole("dialog")
      .locator("input[type=file]")
      .setInputFiles({
        name: "s.yaml",
        mimeType: "application/yaml",
        buffer: Buffer.from(file.text.replace("colour: red", "colour: violet")),
      });
    await page.locator(".about summary", { hasText: "The first conflict" }).waitFor();
    await forward(page);
    await page.locator(".conflicts", { hasText: "violet" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page
      .getByRole("dialog")
      .locator("input[type=file]")
      .setInputFiles({
        name: "s.yaml",
        mimeType: "application/yaml",
        buffer: Buffer.from("scenario: patchlab.dev/v1\nsteps: 7"),
      });
    await page.getByText("This is not a valid scenario").waitFor();
    await done();
  });
});
