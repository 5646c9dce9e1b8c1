// What leaves the page, and what is lost with it: links with the values of Secrets, and full storage.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { groupTime } from "./browser.mjs";
import { begin, editor, end, open, settled, shown, write } from "./visit.mjs";

before(begin);
after(end);

const secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db-password\nstringData:\n  password: hunter2\n";

async function pasted(page, text, choice) {
  await page.getByRole("button", { name: "Paste object" }).click();
  await write(page, page.getByRole("dialog").locator(".cm-content"), text);
  await page.getByRole("dialog").getByRole("button", { name: choice }).click();
  await settled(page);
}

const emptied = { title: "", about: "", kubernetes: "", definitions: [], objects: [], actors: [], steps: [] };

/** linkTo returns the fragment of an address with a scenario. */
const linkTo = (scenario) =>
  `#v1=${deflateRawSync(JSON.stringify({ scenario, at: scenario.steps?.length ?? 0, object: 0 })).toString("base64url")}`;

describe("sharing", { timeout: groupTime }, () => {
  test("as Markdown escapes the texts of a scenario, which may be somebody else's", async () => {
    const title = "x](https://example.com) ![i](//example.com/i) @octocat #1 `\\]";
    const { page, done } = await open(
      {},
      linkTo({
        ...emptied,
        title,
        about: "<b> @octocat",
        actors: [{ name: "a`b" }],
        steps: [{ actor: "a`b", do: "apply", body: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" }],
      }),
      (context) =>
        context.addInitScript(() => {
          navigator.clipboard.writeText = async (text) => {
            globalThis.copied = text;
          };
        }),
    );
    await page.getByRole("button", { name: "Share" }).click();
    const escaped = "x\\](https://example.com) !\\[i\\](//example.com/i) @&#8203;octocat #&#8203;1 \\`\\\\\\]";
    for (const [name, begin] of [
      ["link", `[${escaped}](http`],
      ["card", `> **[${escaped}](http`],
    ]) {
      await page.getByRole("button", { name: `Copy as a Markdown ${name}` }).click();
      await page.waitForFunction((begin) => globalThis.copied?.startsWith(begin), begin);
    }
    const copied = await page.evaluate(() => globalThis.copied);
    assert.match(copied, /\n> \\<b\\> @&#8203;octocat\n> 1\. `a b` apply:/);
    await done();
  });

  for (const [why, text, choice] of [
    ["a Secret in a step", secret, "Apply it as the first step"],
    [
      "a live Secret",
      secret
        .replace("metadata:", "metadata:\n  uid: 9d3b8a52-7c57-4d5b-9a39-6f1b5d9e2c11")
        .replace("stringData", "data")
        .replace("hunter2", "aHVudGVyMg=="),
      "Start with this object",
    ],
  ]) {
    test(`${why} is shared only after a warning that names it and who can read it`, async () => {
      const { page, done } = await open();
      await pasted(page, text, choice);
      await page.getByRole("button", { name: "Share" }).click();
      const dialog = page.getByRole("dialog");
      const warning = dialog.locator(".warning");
      assert.match(await warning.innerText(), /Secret db-password\. Anyone who has the link.* can read the values/);
      assert.equal(await dialog.getByLabel("Link to this state").count(), 0, "no link before");
      assert.equal(await page.evaluate(() => location.hash), "", "and none in the address");
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" }); // the first button cancels
      assert.equal(await page.evaluate(() => location.hash), "");
      await page.getByRole("button", { name: "Share" }).click();
      await dialog.getByRole("button", { name: "Share with the values" }).click();
      assert.match(await dialog.getByLabel("Link to this state").inputValue(), /#v1=/);
      await warning.waitFor();
      await done();
    });
  }

  const configMap = {
    actor: "alice",
    do: "apply",
    body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n",
  };
  const broken = `${secret}  [`;
  for (const [why, scenario, wanted] of [
    [
      "that cannot be run, so that its objects are unknown",
      { kubernetes: "0.1", steps: [configMap] },
      /It could not be checked whether the scenario contains Secrets\. If it does, anyone who has the link/,
    ],
    [
      "with a step that cannot be parsed",
      { steps: [configMap, { actor: "alice", do: "apply", body: broken }] },
      /A text of the scenario that could not be read appears to be a Secret\. Anyone who has the link/,
    ],
    [
      "with such a step in JSON",
      {
        steps: [
          {
            actor: "alice",
            do: "apply",
            body: '{"apiVersion": "v1", "kind": "Secret", "stringData": {"password": "hunter2"',
          },
        ],
      },
      /appears to be a Secret/,
    ],
    [
      "with a step that contains a List of Secrets",
      {
        steps: [
          {
            actor: "alice",
            do: "apply",
            body: `apiVersion: v1\nkind: List\nitems:\n- ${secret.trim().replaceAll("\n", "\n  ")}\n`,
          },
        ],
      },
      /appears to be a Secret/,
    ],
    [
      "with a Secret of an unknown version",
      { steps: [{ actor: "alice", do: "apply", body: secret.replace("v1", "v2") }] },
      /appears to be a Secret/,
    ],
    ["with a live object that cannot be parsed", { objects: [broken] }, /appears to be a Secret/],
    [
      "with a Secret without a name",
      { steps: [{ actor: "alice", do: "apply", body: secret.replace("  name: db-password\n", "  labels: {a: b}\n") }] },
      /contains the values of a Secret without a name\./,
    ],
    [
      "with a patch of a Secret that cannot be parsed",
      {
        steps: [
          {
            actor: "alice",
            do: "merge-patch",
            target: { apiVersion: "v1", kind: "Secret", name: "db-password" },
            body: '{"stringData":{"password":"hunter2"}',
          },
        ],
      },
      /the values of the Secret db-password\./,
    ],
    [
      "with a deletion whose hidden text has values",
      { steps: [{ actor: "alice", do: "delete", body: secret }] },
      /the values of the Secret db-password\./,
    ],
    [
      "with a readable Secret and one that cannot be read",
      {
        steps: [
          { actor: "alice", do: "apply", body: secret },
          { actor: "alice", do: "apply", body: broken },
        ],
      },
      /the values of the Secret db-password\. A text of the scenario that could not be read/,
    ],
  ]) {
    test(`a scenario ${why} is shared only after a warning`, async () => {
      const { page, done } = await open({}, linkTo(scenario));
      await settled(page);
      await page.evaluate(() => history.replaceState(null, "", location.pathname)); // the link that it came from
      await page.getByRole("button", { name: "Share" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.locator(".warning, input").first().waitFor();
      assert.match(await dialog.innerText(), wanted);
      assert.equal(await dialog.getByLabel("Link to this state").count(), 0, "no link before");
      assert.equal(await page.evaluate(() => location.hash), "", "and none in the address");
      await dialog
        .getByRole("button", { name: "Share anyway" })
        .or(dialog.getByRole("button", { name: "Share with the values" }))
        .click();
      assert.match(await dialog.getByLabel("Link to this state").inputValue(), /#v1=/);
      await done();
    });
  }

  for (const [why, step] of [
    [
      "a deletion of a Secret",
      { actor: "alice", do: "delete", target: { apiVersion: "v1", kind: "Secret", name: "db-password" } },
    ],
    [
      "a text that cannot be parsed, of another kind whose name begins like it",
      { actor: "alice", do: "apply", body: "apiVersion: v1\nkind: SecretStore\nmetadata: [" },
    ],
  ]) {
    test(`${why} is shared without a warning`, async () => {
      const { page, done } = await open({}, linkTo({ steps: [step] }));
      await settled(page);
      await page.getByRole("button", { name: "Share" }).click();
      await page.getByLabel("Link to this state").waitFor();
      assert.equal(await page.locator("dialog .warning").count(), 0);
      await done();
    });
  }

  test("the link contains the state that was checked for Secrets, not a later one", async () => {
    const { page, done } = await open();
    await settled(page);
    await page.evaluate(() => {
      // requests to the engine wait from now on
      const { postMessage } = Worker.prototype;
      window.held = [];
      Worker.prototype.postMessage = function (...message) {
        window.held.push(() => postMessage.apply(this, message));
      };
      window.release = () => {
        Worker.prototype.postMessage = postMessage;
        for (const send of window.held) send();
      };
    });
    const asked = (count) => page.waitForFunction((count) => window.held.length >= count, count);
    await write(page, editor(page), configMap.body);
    await asked(1); // to run it
    await page.getByRole("button", { name: "Share" }).click();
    await asked(2); // for the Secrets
    await write(page, editor(page), secret);
    await page.evaluate(() => window.release());
    const link = await page.getByLabel("Link to this state").inputValue();
    const shared = inflateRawSync(Buffer.from(link.replace(/.*#v1=/, ""), "base64url")).toString();
    assert.match(shared, /name: settings/);
    assert.doesNotMatch(shared, /hunter2/);
    await done();
  });

  test("a scenario that is too large for a link can be downloaded", async () => {
    const { page, done } = await open();
    const noise = Array.from(
      { length: 40_000 },
      (_, i) => `  k${i}: "${Math.random().toString(36).repeat(4)}${Math.random()}${Math.random()}${Math.random()}"\n`,
    ).join("");
    await pasted(page, `${configMap.body}data:\n${noise}`, "Start with this object");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("too large for a link").waitFor();
    assert.equal(await page.evaluate(() => location.hash), "");
    await Promise.all([
      page.waitForEvent("download"),
      dialog.getByRole("button", { name: "Scenario", exact: true }).click(),
    ]);
    await done();
  });

  test("says so if the browser does not allow copying", async () => {
    const { page, done } = await open({}, "", (context) =>
      context.addInitScript(() => {
        navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"));
      }),
    );
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).first().click();
    await page
      .getByRole("dialog")
      .getByText("The browser does not allow copying. Select the text and copy it yourself.")
      .waitFor();
    await done();
  });

  test("other kinds, also with a reference to a Secret, are shared without one", async () => {
    const { page, done } = await open();
    await pasted(
      page,
      "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nsecrets:\n- kind: Secret\n  name: db-password\n",
      "Apply it as the first step",
    );
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByLabel("Link to this state").waitFor();
    assert.equal(await page.locator("dialog .warning").count(), 0);
    await done();
  });
});

describe("storage", { timeout: groupTime }, () => {
  /** fill leaves no room in a store, besides what is in it. */
  const fill = (page, store) =>
    page.evaluate((store) => {
      let text = "x".repeat(1 << 20);
      for (let i = 0; text.length > 0;) {
        try {
          window[store].setItem(`filler-${i}`, text);
          i++;
        } catch {
          text = text.slice(0, Math.floor(text.length / 2));
        }
      }
    }, store);
  const later = (text) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: ${text}\n`;

  test("that is full is reported once, with a download", async () => {
    const { page, done } = await open();
    await settled(page);
    await fill(page, "localStorage");
    await fill(page, "sessionStorage");
    await pasted(page, later("y".repeat(200_000)), "Apply it as the first step");
    await page.locator("#notices").getByText("Opened ConfigMap settings").waitFor(); // beside it
    const notice = page.locator("#notices", { hasText: "storage is full" }).locator(".notice.lasting");
    await notice.getByText("lost when the page is closed or reloaded").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      notice.getByRole("button", { name: "Download" }).click(),
    ]);
    assert.match(await readFile(await file.path(), "utf8"), /colour: y{200000}/);
    await page.evaluate(() => {
      const { setItem } = Storage.prototype;
      window.saves = 0;
      Storage.prototype.setItem = function (name, text) {
        if (text.includes("zzzz")) window.saves++;
        setItem.call(this, name, text);
      };
    });
    await write(page, editor(page), later("z".repeat(210_000)));
    await page.evaluate(() => window.dispatchEvent(new Event("pagehide"))); // saves the change unless it has been saved
    assert.ok((await page.evaluate(() => window.saves)) > 0, "the page tries to save the change");
    assert.equal(await notice.count(), 0, "not a second time");
    await done();
  });

  test("of the browser that is full leaves that of the tab, which the message says", async () => {
    const { page, done } = await open();
    await settled(page);
    await fill(page, "localStorage");
    await write(page, editor(page), later("y".repeat(200_000)));
    await page.locator("#notices", { hasText: "lost when this tab is closed" }).waitFor();
    await page.reload();
    await shown(page);
    await editor(page).getByText("yyyy").first().waitFor({ state: "attached" });
    await done();
  });

  test("of the tab that is full does not bring back an earlier state", async () => {
    const { page, done } = await open();
    await settled(page);
    await page.evaluate(() => localStorage.clear());
    await fill(page, "sessionStorage");
    await write(page, editor(page), later("y".repeat(200_000)));
    await page.waitForFunction(() => localStorage.getItem("patchlab.playground.v1")?.includes("yyyy"));
    await page.reload();
    await shown(page);
    await editor(page).getByText("yyyy").first().waitFor({ state: "attached" });
    assert.equal(await page.locator("#notices", { hasText: "storage" }).count(), 0, "nothing is lost");
    await done();
  });

  test("that is full makes room by dropping results that can be computed again", async () => {
    const { page, done } = await open();
    await settled(page);
    await page.waitForFunction(() => localStorage.getItem("patchlab.playground.answers"));
    const before = await page.evaluate(() => localStorage.getItem("patchlab.playground.answers").length);
    await fill(page, "localStorage");
    await write(page, editor(page), later("y".repeat(Math.floor(before / 2))));
    await page.waitForFunction(() => localStorage.getItem("patchlab.playground.v1")?.includes("yyyy"));
    assert.equal(await page.locator("#notices", { hasText: "storage" }).count(), 0, "nothing is lost");
    await done();
  });
});
