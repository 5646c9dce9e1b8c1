// Where a story begins, how one goes back in it, and how it is passed on.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import {
  address,
  begin,
  detail,
  drop,
  editor,
  end,
  example,
  live,
  open,
  outcome,
  owned,
  row,
  settled,
  shown,
  watchFaults,
  write,
} from "./visit.mjs";

before(begin);
after(end);

const crd = readFileSync(new URL("../../testdata/crds/widgets.yaml", import.meta.url), "utf8");
const widget =
  "apiVersion: lab.example.com/v1\nkind: Widget\nmetadata: {name: w, uid: 1-2, managedFields: []}\nspec: {}\n";
const dialog = (page) => page.getByRole("dialog");

/** paste pastes a text where no editor has the focus. */
const paste = (page, text) =>
  page.locator("body").evaluate((body, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);

describe("the start", { timeout: groupTime }, () => {
  test("has a promise and three entries, each of which leads somewhere", async () => {
    const { page, done } = await open();
    const link = (name) => page.locator("#start").getByRole("link", { name });
    assert.match(await page.locator("#start").innerText(), /Nothing you type or paste leaves your browser/);
    for (const name of ["Documentation", "Repository", "Version"])
      assert.match(await link(name).getAttribute("href"), /^https:\/\/github\.com\//);
    await link("Help").click();
    await dialog(page).getByText("Ctrl + Z").waitFor();
    await page.keyboard.press("Escape");
    await link("Paste my object").click();
    await dialog(page).getByRole("heading", { name: "Paste your object" }).waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await link("Why is my field reverted?").click();
    await row(page, "replicas: 7.*gitops wants 3").waitFor();
    assert.equal(await page.locator("#start").isVisible(), false);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Show the introduction" }).click();
    await link("See a conflict").click();
    await row(page, "colour: blue.*bob wants").waitFor();
    await page.reload();
    await shown(page);
    assert.equal(await page.locator("#start").isVisible(), false, "who has been here goes on");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("button", { name: "Show the introduction" }).click();
    await page.getByRole("button", { name: "Close the introduction" }).press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement.id), "page", "the focus goes on from here");
    await done();
  });
});

describe("a live object", { timeout: groupTime }, () => {
  test("is pasted with its managers, times and values, and goes on with a manifest", async () => {
    const { page, done } = await open();
    await paste(page, live);
    await dialog(page).getByText("Deployment web").waitFor();
    await dialog(page).getByText("2 managers").waitFor();
    await page.getByRole("button", { name: "Start with this object" }).click();
    await owned(page, "replicas: 7", "A");
    await owned(page, "image: nginx", "H");
    assert.match(await page.locator(".counters").innerText(), /resourceVersion 48151623/);
    await row(page, "replicas: 7").click();
    await detail(page, "2026-03-04 17:00:30, before the first step").waitFor();
    await row(page, "note: .*🦀").waitFor();
    await page.locator("#object .cm-specialChar", { hasText: "U+202E" }).waitFor();
    await page.getByRole("button", { name: "Apply a manifest" }).click();
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Write the manifest");
    await page.getByRole("button", { name: "as helm, starting from what it applied last" }).click();
    await page.getByText("step 1 of 1").first().waitFor();
    assert.match(await editor(page).innerText(), /image: nginx:1\.27/);
    assert.doesNotMatch(await editor(page).innerText(), /replicas/);
    const body = await editor(page).innerText();
    await write(page, editor(page), body.replace(/^spec:$/m, "spec:\n  replicas: 3"));
    await page.locator("#request").getByRole("button", { name: ".spec.replicas" }).click();
    await page.getByRole("group", { name: "Conflict at .spec.replicas" }).waitFor();
    await outcome(page, 1).getByText("409").waitFor();
    await page.getByRole("button", { name: "One step back" }).filter({ visible: true }).click();
    await page.getByLabel("as", { exact: true }).fill("argocd");
    await page.getByRole("button", { name: "Write the manifest" }).click();
    assert.match(
      await editor(page).innerText(),
      /^apiVersion: apps\/v1\nkind: Deployment\nmetadata:\n {2}name: web\n {2}namespace: shop\n+$/,
    );
    await page.reload();
    await shown(page);
    await page.getByText("step 1 of 2").first().waitFor();
    await done();
  });

  test("without managedFields says what that means, with the command", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await write(
      page,
      dialog(page).locator(".cm-content"),
      live.replace(/ {2}managedFields:[^]*?(?= {2}name: web)/, ""),
    );
    await dialog(page).getByText(", no managedFields").waitFor();
    await dialog(page).getByText("kubectl get deployment.apps/web -n shop -o yaml --show-managed-fields").waitFor();
    await done();
  });

  test("with a name that is more than a word for a shell is quoted in the command, or has none", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    const text = dialog(page).locator(".cm-content");
    await write(
      page,
      text,
      'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "r; it\'s $(id)", uid: u}\n',
    );
    await dialog(page)
      .getByText("kubectl get 'clusterrole.rbac.authorization.k8s.io/r; it'\\''s $(id)' -o yaml --show-managed-fields")
      .waitFor();
    const kind = "kubectl get crd $(id)";
    await write(
      page,
      text,
      `apiVersion: lab.example.com/v2\nkind: ${kind}\nmetadata: {name: w}\n---\n${crd.replace("kind: Widget,", `kind: "${kind}",`)}`,
    );
    await dialog(page).getByText(`Unknown kind: ${kind} is served in`).waitFor();
    assert.equal(await dialog(page).getByRole("button", { name: "Copy the command" }).count(), 0);
    await write(page, text, "apiVersion: lab.example.com/v1\nkind: w$(id)\nmetadata: {name: w}\n");
    await dialog(page)
      .getByText("Unknown kind. If it is a custom resource, paste its CustomResourceDefinition too.")
      .waitFor();
    await done();
  });

  test("of an unknown kind asks for its definition; pasted together they are told apart", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    const text = dialog(page).locator(".cm-content");
    await write(page, text, widget);
    await dialog(page).getByText("kubectl get crd widgets.lab.example.com -o yaml").waitFor();
    assert.equal(await page.getByRole("button", { name: "Start with" }).count(), 0);
    await drop(dialog(page).locator(".drop"), crd);
    await dialog(page).getByText("widgets.lab.example.com CustomResourceDefinition").waitFor();
    await page.getByRole("button", { name: "Start with this object" }).click();
    await page.getByRole("heading", { name: "Widget w" }).waitFor();
    await page.getByRole("button", { name: "CRDs (1)" }).waitFor();
    await done();
  });

  test("comes as a List too, and by a file that is dropped anywhere", async () => {
    const { page, done } = await open();
    const item = (name) =>
      `- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: ${name}, uid: u-${name}}\n  data: {of: ${name}}\n`;
    await drop(page.locator("#object"), `apiVersion: v1\nkind: List\nitems:\n${item("one")}${item("two")}`);
    await page.getByRole("button", { name: "Start with these objects" }).click();
    await page.getByRole("heading", { name: "ConfigMap one" }).waitFor();
    await page.locator(".live").getByRole("button", { name: "ConfigMap two" }).click();
    await row(page, "of: two").waitFor();
    await done();
  });
});

describe("undo", { timeout: groupTime }, () => {
  test("and redo go over everything, and each message offers it", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "+ Step as alice" }).click();
    await page.getByText("step 3 of 3").first().waitFor();
    await page.locator("#request").getByRole("button", { name: "Remove" }).click();
    await page.locator("#notices").getByRole("button", { name: "Undo" }).click();
    await page.getByText("step 3 of 3").first().waitFor();
    await page.locator("#notices").getByRole("button", { name: "Redo" }).click();
    await page.getByText("of 2").first().waitFor();
    await page.locator("#object h2").click();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await page.getByText("step 2 of 2").first().waitFor();
    await page.keyboard.press("Control+Shift+z");
    await page.getByText("step 3 of 3").first().waitFor();
    await example(page, "Taking over by force");
    await page.getByRole("button", { name: "Undo" }).first().click();
    await page.locator(".about summary", { hasText: "The first conflict" }).waitFor();
    await done();
  });

  test("in an editor keeps its history when one leaves the step", async () => {
    const { page, done } = await open();
    await editor(page).focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  taste: sweet");
    await row(page, "taste")
      .waitFor({ state: "detached" })
      .catch(() => undefined);
    await page.keyboard.press("Alt+ArrowLeft");
    await page.getByText("step 1 of 2").first().waitFor();
    await page.keyboard.press("Alt+ArrowRight");
    await page.getByText("step 2 of 2").first().waitFor();
    assert.match(await editor(page).innerText(), /taste: sweet/);
    await editor(page).focus();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(
      () => !document.querySelector("#request .editor").shadowRoot.textContent.includes("sweet"),
    );
    await page.keyboard.press("Control+y");
    await page.waitForFunction(() =>
      document.querySelector("#request .editor").shadowRoot.textContent.includes("sweet"),
    );
    await done();
  });
});

describe("what the state holds", { timeout: groupTime }, () => {
  test("survives a second tab, which is noticed", async () => {
    const { page, context, done } = await open();
    await write(
      page,
      editor(page),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  tab: first\n",
    );
    await row(page, "tab: first").waitFor();
    await page.waitForTimeout(700); // it is kept by then
    const second = await context.newPage();
    const faults = watchFaults(second);
    await second.goto(address());
    await row(second, "tab: first").waitFor();
    await page.getByText("open in another tab").waitFor();
    await second.getByText("open in another tab").waitFor();
    await write(
      second,
      editor(second),
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  tab: second\n",
    );
    await row(second, "tab: second").waitFor();
    await second.waitForTimeout(700);
    await page.reload();
    await row(page, "tab: first").waitFor();
    await second.reload();
    await row(second, "tab: second").waitFor();
    assert.deepEqual(faults, []);
    await done();
  });

  test("survives a reload right after the last key, with the step that was shown", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "+ Step as alice" }).click();
    await outcome(page, 3).getByText(/\d/).waitFor();
    await page.locator(".steps .step .head").first().click();
    await editor(page).click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  key: last\n");
    await page.reload();
    await row(page, "key: last").waitFor();
    await page.locator("#story .at", { hasText: "step 1 of 3" }).waitFor();
    await done();
  });

  test("survives the end of the engine's thread, and is answered by the next one", async () => {
    const { page, faults, done } = await open();
    await page.locator("#loading").waitFor({ state: "hidden" });
    const text = (value) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  thread: ${value}\n`;
    await write(page, editor(page), text("first"));
    await row(page, "thread: first").waitFor();
    const next = page.waitForEvent("worker");
    await page.workers()[0].evaluate(
      () =>
        void setTimeout(() => {
          throw new Error("the end");
        }),
    );
    await next;
    assert.match(await editor(page).innerText(), /thread: first/);
    await write(page, editor(page), text("second")); // nothing that was computed before
    await row(page, "thread: second").waitFor();
    faults.length = 0; // the browser tells of the error
    await done();
  });

  test("survives an engine that ends while it computes a result, which is reported", async () => {
    const { page, faults, done } = await open();
    await page.locator("#loading").waitFor({ state: "hidden" });
    await settled(page);
    await page.evaluate(() => {
      // the engine gets no request until it has ended
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function () {
        globalThis.asked = true;
        globalThis.answerAgain = () => (Worker.prototype.postMessage = postMessage);
      };
    });
    const text = (value) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  thread: ${value}\n`;
    await write(page, editor(page), text("first"));
    await page.waitForFunction(() => globalThis.asked);
    await page.evaluate(() => globalThis.answerAgain());
    await page.workers()[0].evaluate(
      () =>
        void setTimeout(() => {
          throw new Error("the end");
        }),
    );
    await page.locator("#panel").getByText("The engine stopped and was restarted.").waitFor();
    await write(page, editor(page), text("second"));
    await row(page, "thread: second").waitFor();
    faults.length = 0; // the browser tells of the error
    await done();
  });

  /** linkOf packs a scenario with a number of steps, of which each changes a ConfigMap. */
  const linkOf = (page, count) =>
    page.evaluate(async (count) => {
      const step = (n) => ({
        actor: "a",
        do: "apply",
        subresource: "",
        target: {},
        body: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: many}\ndata: {count: "${n}"}\n`,
        note: "",
      });
      const text = JSON.stringify({
        scenario: { actors: [{ name: "a" }], steps: Array.from({ length: count }, (_, n) => step(n + 1)) },
        at: count,
      });
      const bytes = new Uint8Array(
        await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer(),
      );
      return (
        "#v1=" +
        btoa(String.fromCharCode(...bytes))
          .replaceAll("+", "-")
          .replaceAll("/", "_")
          .replaceAll("=", "")
      );
    }, count);

  test("of a link with a thousand steps is run; with more it is told, and what was there stays", async () => {
    const { page, done } = await open();
    const most = await linkOf(page, 1000);
    await page.evaluate((hash) => (location.hash = hash), most);
    await row(page, 'count: "1000"').waitFor();
    await page.locator("#story .at", { hasText: "step 1000 of 1000" }).waitFor();
    const more = await linkOf(page, 1001);
    await page.evaluate((hash) => (location.hash = hash), more);
    await page.getByText("1001 steps, more than the 1000").waitFor();
    await row(page, 'count: "1000"').waitFor();
    await done();
  });

  test("stands in pages of others: one panel, read-only, with a way to the whole", async () => {
    const { page, done } = await open({}, "?embed=object&readonly");
    await owned(page, "colour: blue", "A");
    for (const part of ["#toolbar", "#start", "#story", "#request", "#panel"])
      assert.equal(await page.locator(part).isVisible(), false, part);
    assert.match(await page.locator("#embed").innerText(), /The first conflict[^]*Open in the playground/);
    const [whole] = await Promise.all([
      page.context().waitForEvent("page"),
      page.getByRole("link", { name: "Open in the playground" }).click(),
    ]);
    await shown(whole);
    assert.equal(new URL(whole.url()).search, "");
    await whole.getByText("409").first().waitFor();
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await shown(page);
    assert.equal(
      await page.evaluate(() => localStorage.getItem("patchlab.playground.v1")),
      null,
      "a frame keeps nothing",
    );
    await done();
    const request = await open({}, "?embed=request&readonly");
    await request.page.getByRole("group", { name: "Conflict at" }).waitFor();
    await request.page.getByRole("button", { name: "Force" }).click();
    await request.page.getByText("The request succeeds (200).").waitFor();
    assert.equal(
      await request.page.getByRole("button", { name: "Resolve this way" }).count(),
      0,
      "a read-only page shows a resolution, and does not apply it",
    );
    await editor(request.page).focus();
    await request.page.keyboard.type("x");
    assert.doesNotMatch(await editor(request.page).innerText(), /^x/);
    await request.done();
    const result = await open({}, "?embed&readonly");
    await result.page.getByRole("tab", { name: "Compare patches" }).click();
    const intent = result.page.locator("#panel .editor .cm-content");
    await intent.getByText("colour: blue").click();
    await result.page.keyboard.press("End");
    await result.page.keyboard.type("r");
    await result.page.locator(".patch").nth(3).waitFor();
    assert.equal(
      await result.page.getByRole("button", { name: "Add as a step" }).filter({ visible: true }).count(),
      0,
      "a patch cannot be added to a read-only page",
    );
    await drop(result.page.locator("#object"), live);
    await result.page.waitForTimeout(200);
    assert.equal(await dialog(result.page).count(), 0, "nor a file");
    await result.done();
  });

  test("is shown as at work where an answer takes long, and never as the result", async () => {
    const { page, done } = await open();
    await page.getByText("409").first().waitFor();
    await page.locator("#loading").waitFor({ state: "hidden" });
    // The engine's answers are kept back until the page was seen at work. An engine that
    // is busy for some time could be done before a slow browser has typed the text.
    const worker = page.workers()[0];
    await worker.evaluate(() => {
      const send = self.postMessage.bind(self);
      const kept = [];
      self.postMessage = (message) => void kept.push(message);
      self.release = () => {
        self.postMessage = send;
        kept.forEach((message) => send(message));
      };
    });
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {late: yes}\n");
    await page.getByText("Working…").waitFor();
    assert.equal(await page.locator("#panel").getAttribute("aria-busy"), "true");
    await worker.evaluate(() => self.release());
    await settled(page);
    await page.getByText("Working…").waitFor({ state: "hidden" });
    await done();
  });
});

describe("by keyboard alone", { timeout: groupTime }, () => {
  test("a conflict is opened from the start, previewed and resolved", async () => {
    const { page, done } = await open();
    await page.getByText("409").first().waitFor();
    /** tabTo presses Tab until the focus is on an element with a text. */
    const tabTo = async (text) => {
      const focused = () =>
        page.evaluate(() => {
          let e = document.activeElement;
          while (e?.shadowRoot?.activeElement) e = e.shadowRoot.activeElement;
          return e?.matches("button, a") ? e.textContent.trim() : e?.matches(".cm-content") ? "editor" : "";
        });
      for (let i = 0; i < 80; i++) {
        const now = await focused();
        if (now.startsWith(text)) return;
        if (now === "editor") await page.keyboard.press("Escape"); // Tab indents in an editor
        await page.keyboard.press("Tab");
      }
      assert.fail(`Tab does not lead to ${text}`);
    };
    await tabTo("See a conflict");
    await page.keyboard.press("Enter");
    await settled(page);
    await tabTo("Resolve conflict");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.matches("#request .editor"));
    await page.keyboard.press("Escape");
    await tabTo("Drop the field");
    await page.keyboard.press("Enter");
    await page.getByText("alice keeps it, with the live value").waitFor();
    await tabTo("Resolve this way");
    await page.keyboard.press("Enter");
    await outcome(page, 2).getByText("✓ 200").waitFor();
    await page.waitForFunction(() => document.activeElement?.matches("#request .editor"));
    await done();
  });
});
