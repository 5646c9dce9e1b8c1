// The page in Chromium: what a person can do there, one test a bullet. Each test
// has a browser context of its own, so that none sees another's storage.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { groupTime, host } from "./browser.mjs";
import { address, begin, detail, drop, editor, end, example, forward, live, newContext, open, outcome, owned, row, settled, shown, tab, write } from "./visit.mjs";

before(begin);
after(end);

const crd = readFileSync(new URL("../../testdata/crds/widgets.yaml", import.meta.url), "utf8");

describe("the playground", { timeout: groupTime }, () => {
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
    for (const [name, text, owners] of [["Force", "colour: red", "B"], ["Drop the field", "colour: blue", "A"], ["Adopt the value", "colour: blue", "AB"]]) {
      await example(page, "The first conflict");
      await forward(page);
      const card = page.getByRole("group", { name: "Conflict at .data.colour" });
      await card.getByRole("button", { name }).press("Enter");
      await card.getByText("request succeeds (200)").waitFor();
      assert.match(await outcome(page, 2).textContent(), /409/, "a preview takes nothing");
      await card.getByRole("button", { name: "Resolve this way" }).press("Enter");
      await outcome(page, 2).getByText("✓ 200").waitFor();
      await owned(page, text, owners);
      assert.ok(await editor(page).evaluate((e) => e.getRootNode().activeElement === e), "the focus is in the manifest");
      await page.locator("#notices").getByRole("button", { name: "Undo" }).click();
      await outcome(page, 2).getByText("✗ 409").waitFor();
    }
    await done();
  });

  test("has one card for a field with two owners, which follows what is typed", async () => {
    const { page, done } = await open();
    await page.getByRole("group", { name: "Conflict at .data.colour" }).getByRole("button", { name: "Adopt the value" }).click();
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
    await write(page, editor(page), "# bob's settings\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: red # my favourite\n  # round ones\n  shape: round\n");
    const card = page.getByRole("group", { name: "Conflict at .data.colour" });
    await card.getByRole("button", { name: "Adopt the value" }).click();
    await card.getByRole("button", { name: "Resolve this way" }).click();
    await outcome(page, 2).getByText("✓ 200").waitFor();
    assert.match(await editor(page).innerText(), /# bob's settings[\s\S]*colour: blue # my favourite[\s\S]*# round ones/);
    await done();
  });

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
    for (const [text, want] of [["uid:", "set by the API server"], ["name: ", "identity"], ["revisionHistoryLimit:", "default"], ["containers:", "keyed list (name)"]]) {
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
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: green\n");
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

  test("lists what happened, with owners before and after, and why", async () => {
    const { page, done } = await open();
    await example(page, "Taking over by force");
    await forward(page);
    const change = page.locator(".changes li", { hasText: ".spec.replicas" });
    await change.getByText("apply/transfer").waitFor();
    assert.match(await change.textContent(), /taken over.*2 → 5.*alice\s*→.*bob/s);
    assert.match(await change.getByRole("link").getAttribute("href"), /rules\.md/);
    await change.getByRole("button").click();
    await page.locator("#object .cm-line.current", { hasText: "replicas: 5" }).waitFor();
    await forward(page);
    await page.locator("#panel").getByText("apply/conflict").waitFor();
    await done();
  });

  test("lists changes as such, also those that are not shown at first", async () => {
    const { page, done } = await open();
    const data = Array.from({ length: 80 }, (_, i) => `  k${i}: v\n`).join("");
    await write(page, editor(page), `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many\ndata:\n${data}`);
    await page.locator("#object h2", { hasText: "ConfigMap many" }).waitFor();
    await page.getByRole("button", { name: "+ Step as alice" }).click();
    await page.locator("#panel h3", { hasText: "80 fields changed. The first 60:" }).waitFor(); // what follows counts these
    await page.locator("#panel").getByText("apply/share").first().waitFor();
    assert.equal(await page.locator("#panel").getByText("Not applied as requested").count(), 0);
    await page.locator("#panel .changes li", { hasText: "60 fields" }).waitFor();
    await page.getByRole("button", { name: "Show the other 20" }).click();
    await page.locator("#panel .changes li", { hasText: "80 fields" }).waitFor();
    assert.equal(await page.locator("#panel h3").first().innerText(), "80 fields changed");
    await done();
  });

  test("says of a refused creation that there is no object", async () => {
    const { page, done } = await open();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\nspice: hot\n");
    await page.locator("#panel").getByText("No object was created or changed.").waitFor();
    await done();
  });

  test("lists the causes of a refusal", async () => {
    const { page, done } = await open();
    const file = `scenario: patchlab.dev/v1
actors: [{name: a}]
steps:
- {actor: a, do: apply, body: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: A, labels: {b: '-'}}\\n"}
`;
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
    await page.getByText('ConfigMap "A" is invalid:', { exact: true }).waitFor();
    const causes = await page.locator(".message li").allTextContents();
    assert.equal(causes.length, 2);
    assert.match(causes[0], /^metadata\.name: Invalid value: "A": a lowercase RFC 1123 subdomain must/);
    assert.match(causes[1], /^metadata\.labels: Invalid value: "-": a valid label must/);
    await done();
  });

  test("says of a patch that cannot be applied that it cannot, not that the object is invalid", async () => {
    const { page, done } = await open();
    await page.getByRole("combobox", { name: "Request" }).selectOption("json-patch");
    await page.getByText("Converted to a JSON patch that sets the same values; a JSON patch does not check owners.").waitFor();
    const verdict = page.locator("#panel .verdict");
    for (const [patch, want] of [
      ['[{"op": "test", "path": "/data/colour", "value": "red"}]', "the patch cannot be applied to the object"],
      ['[{"op": "increment", "path": "/data/colour"}]', "the patch cannot be applied to the object"],
      ['[{"op": "add", "path": "/metadata/labels", "value": {"a": "-"}}]', "the object would be invalid"],
    ]) {
      await write(page, editor(page), patch);
      await verdict.getByText(`Refused: ${want}.`).waitFor();
      if (want.startsWith("the patch")) await page.locator("#panel .changes li", { hasText: "operation 0" }).waitFor();
    }
    await done();
  });

  test("keeps what is typed while a request is converted", async () => {
    const { page, done } = await open();
    await page.evaluate(() => {
      const { postMessage } = Worker.prototype;
      Worker.prototype.postMessage = function (message, transfer) {
        const converts = message.kind === "ask" && new TextDecoder().decode(message.request).startsWith('{"call":"convert"');
        if (converts) setTimeout(() => postMessage.call(this, message, transfer), 1000);
        else postMessage.call(this, message, transfer);
      };
    });
    await page.getByRole("combobox", { name: "Request" }).selectOption("merge-patch");
    await write(page, editor(page), "data: {mood: calm}\n");
    await row(page, "mood: calm").waitFor();
    assert.match(await editor(page).innerText(), /^data: \{mood: calm\}/);
    assert.equal(await page.getByRole("combobox", { name: "Request" }).inputValue(), "merge-patch");
    await done();
  });

  test("offers to undo a change until there is another", async () => {
    const { page, done } = await open();
    const request = page.getByRole("combobox", { name: "Request" });
    const offer = page.locator("#notices", { hasText: "Converted to a merge patch" });
    for (const next of [
      () => request.selectOption("delete"),
      async () => {
        await editor(page).focus();
        await page.keyboard.press("End");
        await page.keyboard.type(" ");
      },
      () => page.getByRole("button", { name: "Duplicate" }).click(),
    ]) {
      await example(page, "The first conflict");
      await forward(page);
      await request.selectOption("merge-patch");
      await offer.waitFor();
      await page.keyboard.press("Alt+Home"); // looking at another state changes nothing
      await page.keyboard.press("Alt+End");
      await settled(page);
      assert.equal(await offer.count(), 1);
      await next();
      await offer.waitFor({ state: "detached" });
    }
    await done();
  });

  test("shows managedFields as a tree and raw", async () => {
    const { page, done } = await open();
    await tab(page, "managedFields").click();
    await page.locator(".trees code.owned", { hasText: ".colour" }).waitFor();
    await page.getByRole("button", { name: "Raw" }).click();
    await page.locator("#panel pre", { hasText: "fieldsType: FieldsV1" }).waitFor();
    await done();
  });

  test("makes four patches of one edit, with what follows, and adds one as a step", async () => {
    const { page, done } = await open();
    await example(page, "Taking over by force");
    await tab(page, "Compare patches").click();
    const intent = page.locator("#panel .editor .cm-content");
    await intent.waitFor();
    const edit = async (to) => write(page, intent, (await page.locator("#object .cm-line").allTextContents()).join("\n").replace("replicas: 2", `replicas: ${to}`));
    await edit(4);
    await page.locator(".patch", { hasText: "/spec/replicas" }).waitFor();
    assert.equal(await page.locator(".patch").count(), 4);
    assert.equal(await page.locator(".patch p.good").count(), 4);
    assert.equal(await page.locator(".patch").getByRole("button", { name: "kubectl" }).count(), 4);
    await write(page, intent, "a: [");
    await page.locator("#panel .problems li").waitFor();
    assert.equal(await page.locator(".patch").count(), 0, "the patches were of the text before");
    await edit(6);
    await page.locator(".patch", { hasText: "replicas: 6" }).first().waitFor();
    await page.locator(".patch", { hasText: "strategic merge patch" }).getByRole("button", { name: "Add as a step" }).click();
    await row(page, "replicas: 6").waitFor();
    await done();
  });

  test("makes patches of a live object without a step, and adds their manager with the step", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "Paste object" }).click();
    await write(page, page.getByRole("dialog").locator(".cm-content"), live);
    await page.getByRole("dialog").getByRole("button", { name: "Start with this object" }).click();
    await row(page, "replicas: 7").waitFor();
    await tab(page, "Compare patches").click();
    const intent = page.locator("#panel .editor .cm-content");
    await intent.waitFor();
    assert.equal(await page.locator("#panel").getByLabel("Manager").inputValue(), "alice");
    await intent.getByText("replicas: 7").click();
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await page.locator(".patch", { hasText: "merge patch" }).first().getByRole("button", { name: "Add as a step" }).click();
    await row(page, "replicas: 70").waitFor();
    assert.match(await page.locator("#story .step .chip").last().innerText(), /alice/);
    assert.match(await page.locator("#story .actors summary").innerText(), /alice/);
    await done();
  });

  test("shows the first conflict of a pasted manifest", async () => {
    const { page, done } = await open();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: red\n" + Array.from({ length: 80 }, (_, i) => `  key-${i}: a\n`).join(""));
    const card = page.getByRole("group", { name: "Conflict at" });
    await card.waitFor();
    await page.waitForFunction((card) => card.getBoundingClientRect().bottom <= innerHeight && card.getBoundingClientRect().top > 0, await card.elementHandle());
    await done();
  });

  test("runs what is typed as it is typed, marks mistakes, and keeps all on reload", async () => {
    const { page, done } = await open();
    const text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  shape: square\n";
    await write(page, editor(page), text);
    await row(page, "shape: square").waitFor();
    await outcome(page, 2).getByText("✓ 200").waitFor();
    await write(page, editor(page), text + "spice: hot\n");
    await page.locator(".problems", { hasText: "line 7" }).waitFor();
    await page.locator("#request .cm-bad", { hasText: "spice: hot" }).waitFor();
    await write(page, editor(page), text.replace("ConfigMap", "ConfigMpa"));
    await page.locator(".problems", { hasText: "did you mean ConfigMap (v1)?" }).waitFor();
    await page.locator("#request .cm-bad", { hasText: "kind:" }).waitFor();
    await write(page, editor(page), text + "  n: north\n");
    await page.locator(".problems .hint", { hasText: /line 7.*the key n is a boolean\. Put it in quotes/ }).waitFor();
    await write(page, editor(page), text + "  script: |\n    n: north\n");
    await row(page, "script:").waitFor();
    assert.equal(await page.locator(".problems .hint").count(), 0, "a text is no key");
    await write(page, editor(page), text + "  a: [\n");
    await page.locator(".problems", { hasText: "YAML" }).waitFor();
    await page.reload();
    await shown(page);
    assert.match(await editor(page).innerText(), /a: \[/);
    await editor(page).focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("]}", { delay: 20 }); // keys, not a paste
    await page.keyboard.press("Backspace");
    await page.locator(".problems", { hasText: "line 7" }).waitFor();
    await done();
  });

  test("adds actors and steps of every kind of request, and converts one to another", async () => {
    const { page, done } = await open();
    await page.locator(".fold.actors summary").click();
    await page.getByRole("button", { name: "+ Manager" }).click();
    await page.getByRole("button", { name: "+ Step as carol" }).click();
    await page.getByText("step 3 of 3").first().waitFor();
    const kinds = await page.getByRole("combobox", { name: "Request" }).locator("option").evaluateAll((list) => list.map((o) => o.value));
    assert.deepEqual(kinds, ["apply", "force-apply", "client-side-apply", "create", "update", "json-patch", "merge-patch", "strategic-patch", "delete"]);
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  mood: calm\n");
    await owned(page, "mood: calm", "C");
    await page.getByRole("combobox", { name: "Request" }).selectOption("merge-patch");
    await page.getByText("Converted to a merge patch").waitFor();
    assert.doesNotMatch(await editor(page).innerText(), /apiVersion/);
    await owned(page, "mood: calm", "C");
    await page.getByLabel("Colour").nth(2).selectOption("purple");
    await page.locator('#object .rows [data-colour="purple"]').first().waitFor();
    await page.getByLabel("Name").nth(2).fill("dora");
    await page.keyboard.press("Tab");
    await owned(page, "mood: calm", "D");
    await page.getByRole("button", { name: "Earlier" }).click();
    await page.getByText("step 2 of 3").first().waitFor();
    await page.locator("#request").getByRole("button", { name: "Remove" }).click();
    await page.getByText("step 1 of 2").first().waitFor();
    await done();
  });

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

  test("takes definitions of custom resources by paste and by drop, and other Kubernetes versions", async () => {
    const { page, done } = await open();
    await page.getByRole("button", { name: "CRDs" }).click();
    const dialog = page.getByRole("dialog");
    await write(page, dialog.locator(".cm-content"), "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.locator(".problems", { hasText: "expected a CustomResourceDefinition" }).waitFor();
    await drop(dialog.locator(".drop"), crd);
    await dialog.locator("li", { hasText: "widgets." }).waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "CRDs (1)" }).waitFor();
    await page.locator("#tools").getByLabel("Kubernetes").selectOption("1.30");
    await outcome(page, 1).getByText("✓ 201").waitFor();
    await done();
  });

  test("shares all in a link: two pages show the same; a link cut short is told", async () => {
    const { page, done } = await open();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  mood: 🦀 é\n");
    await row(page, "mood: \"?🦀").waitFor();
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
      assert.equal(await other.locator("html[data-begun]").count() > 0, there);
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
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from(file) });
    await row(page, "name: x").waitFor(); // reading a file may wait for the complete engine
    await outcome(page, 1).getByText("✓ 201").waitFor();
    await page.getByText("Expected result", { exact: true }).waitFor();
    await page.locator(".fold.actors summary").click();
    await page.getByLabel("Name").nth(1).fill("bert");
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
    const [download] = await Promise.all([second.page.waitForEvent("download"), second.page.getByRole("dialog").getByRole("button", { name: "Scenario", exact: true }).click()]);
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
      const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("dialog").getByRole("button", { name, exact: true }).click()]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), "utf8") };
    };
    const file = await saved("Scenario");
    assert.equal(file.name, "the-first-conflict.yaml");
    assert.match(file.text, /^about: .*scenario: patchlab\.dev\/v1/s);
    const script = await saved("kubectl script");
    assert.match(script.text, /^#!\/bin\/sh\n.*kubectl apply --server-side --field-manager=bob --namespace=default -f - <<'EOF'\n/s);
    const go = await saved("Go test");
    assert.equal(go.name, "the_first_conflict_test.go");
    assert.match(go.text, /func TestTheFirstConflict\(.*FieldManager: "bob".*colour/s);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from(file.text.replace("colour: red", "colour: violet")) });
    await page.locator(".about summary", { hasText: "The first conflict" }).waitFor();
    await forward(page);
    await page.locator(".conflicts", { hasText: "violet" }).waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles({ name: "s.yaml", mimeType: "application/yaml", buffer: Buffer.from("scenario: patchlab.dev/v1\nsteps: 7") });
    await page.getByText("This is not a valid scenario").waitFor();
    await done();
  });

  test("is no program's way in: what is typed is shown as text", async () => {
    const { page, done } = await open();
    const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await write(page, editor(page), `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  evil: '${evil}'\n`);
    await page.locator("#object .cm-line", { hasText: "onerror" }).waitFor();
    await page.locator("#panel .changes", { hasText: "onerror" }).waitFor();
    assert.equal(await page.locator("img[src=x]").count(), 0);
    assert.match(await page.title(), /patchlab playground$/);
    await done();
  });

  test("survives bad input: nested braces, no UTF-8, and goes on", async () => {
    const { page, done } = await open();
    await write(page, editor(page), "{".repeat(3 << 20));
    await page.locator(".problems li", { hasText: "nests deeper" }).waitFor();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  after: all\n");
    await row(page, "after: all").waitFor();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("dialog").locator("input[type=file]").setInputFiles({ name: "bad.yaml", mimeType: "application/yaml", buffer: Buffer.from([0x61, 0x3a, 0xff, 0xfe]) });
    await page.getByText("bad.yaml is not UTF-8 text").waitFor();
    await row(page, "after: all").waitFor();
    await done();
  });

  test("works offline once loaded, under any path", async () => {
    const other = await host("/deep/er/");
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(other.url);
    await shown(page);
    await page.evaluate(() => navigator.serviceWorker.ready);
    other.state.offline = true;
    await page.reload();
    await shown(page);
    await page.getByRole("button", { name: "Examples" }).click();
    await page.getByRole("dialog").locator(".menu li").nth(11).waitFor();
    assert.ok(other.asked.every((path) => path.startsWith("/deep/er/")), other.asked.join(" "));
    await context.close();
    await other.close();
  });

  test("shows a progress bar while the engine loads, and says so where it cannot", async () => {
    const context = await newContext();
    const page = await context.newPage();
    let go;
    const wait = new Promise((resolve) => (go = resolve));
    await context.route(/\.wasm$/, async (route) => {
      await wait;
      await route.abort();
    });
    await page.goto(address());
    await page.getByRole("progressbar").waitFor();
    assert.match(await page.locator("#start h2").innerText(), /See what Kubernetes will do/);
    assert.equal(await page.locator("#start .doors a").count(), 3);
    go();
    const why = /^The engine could not be started: the host cannot be reached \(.+\)\. Reload the page to try again\.$/;
    await page.locator("#loading").getByText(why).waitFor();
    await write(page, editor(page), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n");
    await page.locator("#panel .body").getByText(why).waitFor(); // in place of a result
    await context.close();
  });

  test("says without JavaScript that it needs it, and does not say that it loads", async () => {
    const context = await newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address());
    const { y } = await page.locator("noscript").boundingBox();
    assert.equal(y, 0, "it comes first");
    assert.equal(await page.locator("#loading").isVisible(), false);
    await context.close();
  });

  test("says why there is no result, and shows none of before", async () => {
    const { page, done } = await open();
    await page.getByText("409").first().waitFor();
    const deep = `a: ${"[".repeat(600)}${"]".repeat(600)}\n`;
    await write(page, editor(page), deep);
    await page.locator(".problems", { hasText: "500 levels" }).waitFor();
    await settled(page);
    assert.match(await page.locator("#panel .verdict").innerText(), /not a complete request/);
    await done();
  });
});
