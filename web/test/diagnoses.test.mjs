// The questions of testdata/diagnoses, as a person asks them: the live object is pasted,
// the manifest is applied to it, and the page names who is in the way.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { begin, drop, editor, end, open, outcome, write } from "./visit.mjs";

const read = (name, file) => readFileSync(new URL(`../../testdata/diagnoses/${name}/${file}`, import.meta.url), "utf8");

before(begin);
after(end);

/** diagnose pastes a case's live object and applies its manifest. */
async function diagnose(page, name, actor) {
  await page.getByRole("button", { name: "Paste object" }).click();
  const dialog = page.getByRole("dialog");
  const crd = new URL(`../../testdata/diagnoses/${name}/crd.yaml`, import.meta.url);
  await drop(dialog.locator(".drop"), read(name, "live.yaml"), ...(existsSync(crd) ? [readFileSync(crd, "utf8")] : []));
  await dialog.getByRole("button", { name: "Start with this object" }).click();
  await page.getByLabel("as", { exact: true }).fill(actor);
  await page.getByRole("button", { name: "Write the manifest" }).click();
  // The manifest is empty at first: a manager gives up what it has applied, which is
  // refused where the object needs it.
  const first = name === "autoscaler-and-gitops" ? "✗ 422" : "200";
  await outcome(page, 1).getByText(first).waitFor();
  await write(page, editor(page), read(name, "manifest.yaml"));
}

const conflicts = [
  ["helm-and-kubectl", "helm", "image", "kubectl-set"],
  ["autoscaler-and-gitops", "argocd-controller", ".spec.replicas", "kube-controller-manager"],
  ["ca-bundle", "flux", "caBundle", "cainjector"],
  ["custom-resource", "shop-team", ".spec.endpoints", "platform-gitops"],
];

describe("a diagnosis from a live object", { timeout: 170_000 }, () => {
  for (const [name, actor, field, owner] of conflicts) {
    test(`${name}: ${owner} owns ${field}`, async () => {
      const { page, done } = await open();
      await diagnose(page, name, actor);
      await outcome(page, 1).getByText("✗ 409").waitFor();
      const conflict = page.locator("#panel .conflicts li");
      assert.equal(await conflict.count(), 1);
      const text = await conflict.textContent();
      assert.ok(text.includes(field) && text.includes(owner), text);
      await done();
    });
  }

  test("stuck-field: what was once applied on the client's side still owns it", async () => {
    const { page, done } = await open();
    await diagnose(page, "stuck-field", "argocd-controller");
    await outcome(page, 1).getByText("200").waitFor();
    const line = page.locator("#object .cm-line", { hasText: "DEBUG_SQL" });
    await line.first().waitFor();
    await line.first().hover();
    await page.locator("#object .detail", { hasText: "kubectl-client-side-apply" }).waitFor();
    await done();
  });
});
