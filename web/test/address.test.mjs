// The part of the address after #: links of this version, of a later one, and others.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { deflateRawSync } from "node:zlib";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, row, shown, write } from "./visit.mjs";

before(begin);
after(end);

const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  mood: calm\n";
const hash = (page) => page.evaluate(() => location.hash);

describe("an address that the page cannot open", { timeout: groupTime }, () => {
  for (const [what, fragment, message] of [
    ["of a later version", "#v9=abc", "of a later version of this page. Reload"],
    ["of two digits", "#v10=abc", "of a later version of this page. Reload"],
    ["that is damaged", "#v1=abc", "incomplete or damaged"],
    [
      "that unpacks to too much",
      `#v1=${deflateRawSync(Buffer.alloc((16 << 20) + 1, " ")).toString("base64url")}`,
      "incomplete or damaged (it unpacks to more than 16 MiB)",
    ],
    ["that is no link", "#nonsense", "is not a link to a scenario"],
  ]) {
    test(`${what} is reported and kept`, async () => {
      const { page, done } = await open({}, fragment);
      await page.getByText(message).waitFor();
      await write(page, editor(page), manifest);
      await row(page, "mood: calm").waitFor();
      assert.equal(await hash(page), fragment, "a reload may find a page that can open it");
      await page.reload();
      await page.getByText(message).waitFor();
      await row(page, "mood: calm").waitFor();
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByLabel("Link to this state").waitFor();
      assert.match(await hash(page), /^#v1=.{20}/);
      await page.keyboard.press("Escape");
      await write(page, editor(page), manifest.replace("calm", "wild"));
      await row(page, "mood: wild").waitFor();
      assert.equal(await hash(page), "", "the link does not contain the change");
      await done();
    });
  }

  test("is reported when the page is open already, but anchors of the page are not", async () => {
    const { page, done } = await open();
    await page.evaluate(() => (location.hash = "#v2=abc"));
    await page.getByText("of a later version of this page").waitFor();
    await page.getByRole("button", { name: "Close this message" }).click();
    await page.getByRole("link", { name: "Skip to the steps" }).press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "page");
    await page.getByRole("link", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("dialog").getByText("Escape, then Tab").waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(() => (location.hash = ""));
    await shown(page);
    await page.waitForTimeout(100);
    assert.equal(await page.locator(".notice").count(), 0);
    await done();
  });
});

describe("the address of a link", { timeout: groupTime }, () => {
  test("is kept until the scenario is changed; Back and Forward open the links", async () => {
    const { page, done } = await open();
    const share = async (mood) => {
      await write(page, editor(page), manifest.replace("calm", mood));
      await row(page, `mood: ${mood}`).waitFor();
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByLabel("Link to this state").waitFor();
      await page.keyboard.press("Escape");
      return hash(page);
    };
    const [calm, wild] = [await share("calm"), await share("wild")];
    const visit = await open({}, calm);
    await row(visit.page, "mood: calm").waitFor();
    await visit.page.keyboard.press("Alt+Home");
    await visit.page.getByText("No step has been run.").waitFor();
    assert.equal(await hash(visit.page), calm, "another step of the same scenario");
    await visit.page.reload();
    await row(visit.page, "mood: calm").waitFor();
    assert.equal(await visit.page.locator(".notice").count(), 0, "it is the scenario of before");
    await visit.page.evaluate((hash) => (location.hash = hash), wild);
    await row(visit.page, "mood: wild").waitFor();
    await visit.page.goBack();
    await row(visit.page, "mood: calm").waitFor();
    await visit.page.goForward();
    await row(visit.page, "mood: wild").waitFor();
    assert.equal(await hash(visit.page), wild);
    await write(visit.page, editor(visit.page), manifest.replace("calm", "mild"));
    await row(visit.page, "mood: mild").waitFor();
    assert.equal(await hash(visit.page), "", "the link does not contain the change");
    await visit.done();
    await done();
  });

  test("of a Kubernetes version that is not known shows it, and another can be chosen", async () => {
    const state = {
      scenario: { kubernetes: "1.12", actors: [{ name: "a" }], steps: [{ actor: "a", do: "apply", body: manifest }] },
      at: 1,
    };
    const { page, done } = await open({}, `#v1=${deflateRawSync(JSON.stringify(state)).toString("base64url")}`);
    const version = page.locator("#tools").getByLabel("Kubernetes");
    await page.locator("#panel", { hasText: 'unknown Kubernetes version "1.12"' }).waitFor();
    assert.equal(await version.inputValue(), "1.12");
    await version.selectOption("");
    await row(page, "mood: calm").waitFor();
    assert.ok(!(await version.innerText()).includes("1.12"));
    await done();
  });
});
