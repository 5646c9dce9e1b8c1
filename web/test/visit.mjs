// What a visitor does in the page, for the tests.
import assert from "node:assert/strict";
import { host, launch, waitTime } from "./browser.mjs";

let browser, site;

export const begin = () => beginWith([]);

/** beginWith starts Chromium with more arguments. */
export async function beginWith(args) {
  site = await host();
  browser = await launch(args);
}
export async function end() {
  await browser?.close();
  await site?.close();
}
export const address = () => site.url;
export async function newContext(options) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitTime);
  return context;
}

/** open opens the page in a context of its own, which prepare may change, and gathers what went wrong in it. */
export async function open(options = {}, fragment = "", prepare = () => undefined) {
  const context = await newContext({ viewport: { width: 1440, height: 900 }, acceptDownloads: true, ...options });
  await prepare(context);
  const page = await context.newPage();
  const faults = watchFaults(page);
  await page.goto(site.url + fragment);
  await shown(page);
  return {
    page,
    context,
    faults,
    done: async () => {
      assert.deepEqual(faults, []);
      await context.close();
    },
  };
}

export function watchFaults(page) {
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (message) => {
    const harmless = message.text().startsWith("Measure loop restarted"); // CodeMirror's, on a slow machine
    if (["error", "warning"].includes(message.type()) && !harmless) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith("http") && origin !== new URL(site.url).origin) faults.push(`asked ${request.url()}`);
  });
  return faults;
}

/** shown waits until the engine has answered. */
export const shown = (page) => page.locator("#object h2").waitFor({ state: "attached" });

export const editor = (page) => page.locator("#request .editor .cm-content");

/** write puts a text into an editor as a paste does. */
export async function write(page, content, text) {
  await content.focus();
  await page.keyboard.press("Control+a");
  await content.evaluate((target, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  }, text);
}

/** drop drops files onto an element. */
export const drop = (target, ...texts) =>
  target.evaluate((target, texts) => {
    const data = new DataTransfer();
    texts.forEach((text, i) => data.items.add(new File([text], `file-${i}.yaml`)));
    target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  }, texts);

/** row is a line of the object that is on screen. */
export const row = (page, text) => page.locator("#object .cm-line", { hasText: new RegExp(`^\\s*(- )?${text}`) });

/** letters are the letters that stand beside a line, "" for nobody's. */
export async function letters(page, text) {
  const line = row(page, text).first();
  await line.waitFor();
  return line.evaluate((line) => {
    const { top } = line.getBoundingClientRect();
    const marker = [...line.getRootNode().querySelectorAll(".rows .row")].find(
      (e) => Math.abs(e.getBoundingClientRect().top - top) < 4,
    );
    return [...(marker?.querySelectorAll(".letter") ?? [])].map((l) => l.textContent).join("");
  });
}

/** owned waits until a line has these letters beside it. */
export async function owned(page, text, want) {
  let got;
  for (let i = 0; i < 60; i++) {
    got = await letters(page, text);
    if (got === want) return;
    await page.waitForTimeout(50);
  }
  assert.equal(got, want, `owners of ${text}`);
}

export const outcome = (page, n) =>
  page
    .locator(".steps .step")
    .nth(n - 1)
    .locator(".outcome");
export const tab = (page, name) => page.getByRole("tab", { name });
export const detail = (page, text) => page.locator("#object .detail", { hasText: text });

export async function example(page, title) {
  await page.getByRole("button", { name: "Examples" }).click();
  await page.getByRole("dialog").getByRole("button", { name: title }).click();
  await page.locator("#story .about summary", { hasText: title }).waitFor({ state: "attached" });
  await settled(page); // what is shown is the example's, not that of before
}

export const settled = (page) => page.locator('#panel[aria-busy="false"]').waitFor({ state: "attached" });

export async function forward(page) {
  await page.getByRole("button", { name: "Run one step" }).filter({ visible: true }).click();
  await settled(page); // what is shown is the step's, not that of before
}

/** live is a Deployment as kubectl prints it with --show-managed-fields. */
export const live = `apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    note: "\\U0001F980 pay\\u202Epal"
  creationTimestamp: "2026-03-02T08:15:00Z"
  generation: 3
  labels: {app: web}
  managedFields:
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:selector": {}, "f:template": {"f:metadata": {"f:labels": {"f:app": {}}}, "f:spec": {"f:containers": {'k:{"name":"web"}': {".": {}, "f:image": {}, "f:name": {}}}}}}}
    manager: helm
    operation: Apply
    time: "2026-03-02T08:15:00Z"
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1: {"f:spec": {"f:replicas": {}}}
    manager: autoscaler
    operation: Update
    subresource: scale
    time: "2026-03-04T17:00:30Z"
  name: web
  namespace: shop
  resourceVersion: "48151623"
  uid: 9d3b8a52-7c57-4d5b-9a39-6f1b5d9e2c11
spec:
  replicas: 7
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: web, image: "nginx:1.27"}
`;
