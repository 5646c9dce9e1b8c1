// The questions of testdata/diagnoses, as a person asks them: the live object is pasted,
// the manifest is applied to it, and the page names who is in the way.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
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
  await outcome(page, 1)
    .getByText(/422|200/)
    .waitFor();
  await page.getByText("does not set any field yet").waitFor();
  await write(page, editor(page), read(name, "manifest.yaml"));
}

const conflicts = [
  ["helm-and-kubectl", "helm", "image", "kubectl-set"],
  ["autoscaler-and-gitops", "argocd-controller", ".spec.replicas", "kube-controller-manager"],
  ["ca-bundle", "flux", "caBundle", "cainjector"],
  ["custom-resource", "shop-team", ".spec.endpoints", "platform-gitops"],
  [
    "flux-and-kubectl",
    "kustomize-controller",
    'env[name="LOG_LEVEL"].value',
    "kubectl-client-side-apply (kubectl apply)",
  ],
  ["set-image", "kubectl", ".image", "kubectl-set"],
  ["list-with-definition", "shop-team", ".spec.class", "platform"],
];

describe("a diagnosis from a live object", { timeout: groupTime }, () => {
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

  test("autoscaler-and-gitops: the owner is recognized as an autoscaler", async () => {
    const { page, done } = await open();
    await diagnose(page, "autoscaler-and-gitops", "argocd-controller");
    await page
      .locator("#panel .conflicts", { hasText: "kube-controller-manager (a HorizontalPodAutoscaler) owns it" })
      .waitFor();
    await page
      .getByRole("group", { name: "Conflict at .spec.replicas" })
      .getByRole("button", { name: "Drop the field" })
      .click();
    await page.getByText("kube-controller-manager keeps it, with the live value").waitFor();
    await page.getByRole("button", { name: "Resolve this way" }).click();
    await page.getByText("Removed .spec.replicas from the manifest of step 1.").waitFor();
    await outcome(page, 1).getByText("200").waitFor();
    await done();
  });

  test("helm-and-edit: an edit, and what Helm itself has updated before", async () => {
    const { page, done } = await open();
    await diagnose(page, "helm-and-edit", "helm");
    await outcome(page, 1).getByText("2 conflicts").waitFor();
    const conflicts = page.locator("#panel .conflicts li");
    await conflicts.filter({ hasText: 'env[name="LOG_LEVEL"].value' }).getByText("kubectl-edit").waitFor();
    await conflicts.filter({ hasText: ".image" }).getByText("(Update)").waitFor();
    await page.locator("#panel").getByText("helm has updated the object before").waitFor();
    await page.locator("#panel .reason").first().waitFor(); // reasons are asked for after the result
    assert.equal(await page.locator("#panel .reason").count(), 1, "one reason for both");
    await page.getByRole("group", { name: "All conflicts together" }).getByRole("button", { name: "Force" }).click();
    await page.getByText("helm becomes the owner, and the other managers lose the fields").waitFor();
    await page.getByRole("button", { name: "Resolve this way" }).click();
    await outcome(page, 1).getByText("✓ 200").waitFor();
    await done();
  });

  test("set-image: a client-side apply puts the old image back", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await drop(page.getByRole("dialog").locator(".drop"), read("set-image", "live.yaml"));
    await page.getByRole("button", { name: "Start with this object" }).click();
    await page.getByRole("button", { name: "client-side apply, starting from the last-applied annotation" }).click();
    const change = page.locator("#panel .changes li", { hasText: ".image" });
    await change.getByText("1.4.3-hotfix").waitFor();
    assert.match(await change.textContent(), /kubectl-set\s*→.*kubectl-client-side-apply/s);
    await done();
  });

  test("rollout-restart: an apply leaves the annotation of the restart to its owner", async () => {
    const { page, done } = await open();
    await diagnose(page, "rollout-restart", "argocd-controller");
    await page
      .locator("#panel")
      .getByText("An apply leaves fields that are not in its manifest to their owners: kubectl-rollout.")
      .waitFor();
    await page.locator("#object .cm-line", { hasText: "restartedAt" }).waitFor();
    await done();
  });

  test("finalizer: says what the deletion waits for, and who added it", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await drop(page.getByRole("dialog").locator(".drop"), read("finalizer", "live.yaml"));
    await page.getByRole("button", { name: "Start with this object" }).click();
    const note = page.locator("#panel .warning", { hasText: "The object is being deleted" });
    assert.match(await note.textContent(), /example\.com\/backup added by .*backup-operator/);
    await done();
  });

  test("a dump of 36,000 lines is opened, with the objects to choose from", async () => {
    const { page, done } = await open();
    const lines = read("set-image", "live.yaml")
      .trimEnd()
      .split("\n")
      .map((line, i) => (i === 0 ? "- " : "  ") + line);
    const items = Array.from({ length: 310 }, (_, n) =>
      lines.join("\n").replace(/^ {4}name: web$/m, `    name: web-${n}`),
    );
    await page.getByRole("button", { name: "Paste object" }).click();
    const text = `apiVersion: v1\nkind: List\nitems:\n${items.join("\n")}\n`;
    assert.ok(text.split("\n").length > 36_000);
    await drop(page.getByRole("dialog").locator(".drop"), text);
    await page.getByRole("button", { name: "Start with these objects" }).click();
    await page.locator("#story .live li", { hasText: "Deployment web-309" }).getByRole("button").click();
    await page.locator("#object h2", { hasText: "web-309" }).waitFor();
    await page.locator("#panel .managers", { hasText: "kubectl-set" }).waitFor();
    await done();
  });

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
