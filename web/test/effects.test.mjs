// What the page says of steps that change nothing, or everything.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, end, open, settled, write } from "./visit.mjs";

before(begin);
after(end);

/** openAt opens a scenario after its last step. */
async function openAt(page, steps) {
  await page.getByRole("button", { name: "Paste object" }).click();
  const dialog = page.getByRole("dialog");
  await write(
    page,
    dialog.locator(".cm-content"),
    JSON.stringify({
      scenario: "patchlab.dev/v1",
      actors: [...new Set(steps.map((s) => s.actor))].map((name) => ({ name })),
      steps,
    }),
  );
  await dialog.getByRole("button", { name: "Open the scenario" }).click();
  await settled(page);
  await page.keyboard.press("Alt+End");
  await settled(page);
}

const quota = (cpu) =>
  `apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: team\nspec:\n  hard:\n    cpu: ${cpu}\n`;
const target = { apiVersion: "v1", kind: "ResourceQuota", name: "team", namespace: "default" };
const create = { actor: "alice", do: "apply", body: quota('"1"') };
const waiting = {
  actor: "alice",
  do: "apply",
  body: quota('"1"').replace("  name: team", "  name: team\n  finalizers: [example.com/cleanup]"),
};
const remove = { actor: "bob", do: "delete", target };
const finish = { actor: "alice", do: "merge-patch", target, body: '{"metadata":{"finalizers":null}}' };

describe("the result", { timeout: groupTime }, () => {
  for (const [why, steps, wanted, unwanted] of [
    [
      "says that a patch with the same quantity changes nothing and takes no ownership",
      [create, { actor: "bob", do: "merge-patch", target, body: '{"spec":{"hard":{"cpu":"1000m"}}}' }],
      [
        /Accepted, without a change/,
        /Not changed by the request/,
        /spells the current value differently/,
        /does not become an owner/,
      ],
      /as requested/,
    ],
    [
      "says that a conflict is over the same quantity",
      [create, { actor: "bob", do: "apply", body: quota("1000m") }],
      [/Conflict:/, /Hint: the two are the same quantity.*write "1" to share the field/],
      /Not changed by the request/,
    ],
    [
      "says why an object is deleted at once, without a list of all its fields",
      [create, remove],
      [/200\s*Deleted\./, /no finalizers, so the API server removed it at once/],
      /fields? changed|\.spec\.hard/,
    ],
    [
      "says that an object waits for its finalizers",
      [waiting, remove],
      [/Accepted\./, /being deleted.*example\.com\/cleanup/s],
      /Deleted\./,
    ],
    [
      "says that the last finalizer was removed",
      [waiting, remove, finish],
      [/Deleted\./, /being deleted, and has no finalizers after the step/],
      /at once/,
    ],
    [
      "shows where a text is not valid, and nothing about its fields",
      [create, { actor: "bob", do: "apply", body: "apiVersion: v1\nkind: [" }],
      [/not a complete request/, /Line 2: invalid YAML/],
      /does not set any field|2:1:/,
    ],
  ]) {
    test(why, async () => {
      const { page, done } = await open();
      await openAt(page, steps);
      const panel = page.locator("#panel .body");
      for (const text of wanted) await panel.filter({ hasText: text }).waitFor();
      assert.doesNotMatch(await panel.innerText(), unwanted);
      await done();
    });
  }

  for (const [why, steps, since, wanted, unwanted] of [
    [
      "a step that removes the last finalizer, beside a state before the object was being deleted",
      [waiting, remove, finish],
      "1",
      /being deleted, and has no finalizers after the step/,
      /at once/,
    ],
    [
      "such a step, beside the state without the object",
      [waiting, remove, finish],
      "0",
      /being deleted, and has no finalizers after the step/,
      /at once/,
    ],
    [
      "a deletion at once, beside the deletion of an earlier object of this name",
      [waiting, remove, finish, create, remove],
      "2",
      /had no finalizers, so the API server removed it at once/,
      /being deleted/,
    ],
  ]) {
    test(`says the same of ${why}`, async () => {
      const { page, done } = await open();
      await openAt(page, steps);
      await page.getByLabel("Changes since").selectOption(since);
      await settled(page);
      const text = await page.locator("#panel .body").innerText();
      assert.match(text, wanted);
      assert.doesNotMatch(text, unwanted);
      await done();
    });
  }

  test("of a deleted object leaves its name above what it had", async () => {
    const { page, done } = await open();
    await openAt(page, [create, remove]);
    await page.locator("#object h2", { hasText: "ResourceQuota team (deleted)" }).waitFor();
    await page.locator("#object .cm-line.removed", { hasText: "cpu" }).waitFor();
    await done();
  });

  test("of a deleted object leaves its name, and another state to compare, beside a state before it existed", async () => {
    const { page, done } = await open();
    await openAt(page, [create, remove]);
    const since = page.getByLabel("Changes since");
    await since.selectOption("0");
    await page.locator("#object").getByText("There is no object after this step.").waitFor();
    assert.equal(await page.locator("#object h2").innerText(), "ResourceQuota team (deleted)");
    await since.selectOption("");
    await page.locator("#object .cm-line.removed", { hasText: "cpu" }).waitFor();
    await done();
  });

  test("warns of a manifest without fields, unless it gives up what an earlier step applied", async () => {
    const { page, done } = await open();
    const blank = { actor: "alice", do: "apply", body: quota('"1"').replace(/^spec:[^]*/m, "") };
    await openAt(page, [blank]);
    const warning = page.locator("#panel .warning", { hasText: "does not set any field" });
    await warning.waitFor();
    await openAt(page, [{ ...create, do: "apply" }, blank]);
    await page.locator("#panel h3", { hasText: "changed" }).waitFor();
    await warning.waitFor({ state: "detached" });
    await done();
  });

  test("gives no reason that only says that the request was refused", async () => {
    const { page, done } = await open();
    await openAt(page, [
      create,
      {
        actor: "bob",
        do: "merge-patch",
        target,
        body: '{"metadata":{"resourceVersion":"1"},"spec":{"hard":{"cpu":"2"}}}',
      },
    ]);
    await page.locator("#panel .body", { hasText: "the object has been modified" }).waitFor();
    assert.equal(await page.getByText("Why it was refused").count(), 0);
    await done();
  });

  test("fits beside names of 128 characters", async () => {
    const { page, done } = await open();
    const name = "x".repeat(128);
    await openAt(page, [create, { actor: name, do: "apply", body: quota('"2"') }]);
    const outside = await page
      .locator("#story")
      .evaluate((pane) =>
        [...pane.querySelectorAll("button")]
          .filter((b) => b.getBoundingClientRect().right > pane.getBoundingClientRect().right)
          .map((b) => b.textContent.slice(0, 20)),
      );
    assert.deepEqual(outside, []);
    const wanted = await page
      .locator("#object .wanted")
      .evaluate((e) => e.getBoundingClientRect().right - e.getRootNode().host.getBoundingClientRect().right);
    assert.ok(wanted <= 0, "the wanted value is in view");
    await done();
  });
});
