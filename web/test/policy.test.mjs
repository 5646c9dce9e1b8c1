// The Content-Security-Policy, which is part of the page, so that it holds on any host.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { address, begin, end, newContext, shown } from "./visit.mjs";

before(begin);
after(end);

describe("the policy of the page", { timeout: groupTime }, () => {
  for (const [what, directive, act] of [
    [
      "a script in the page",
      "script-src-elem",
      () =>
        document.body.append(Object.assign(document.createElement("script"), { textContent: "globalThis.ran = true" })),
    ],
    [
      "a handler in an attribute",
      "script-src-attr",
      () => {
        document.body.setAttribute("onclick", "globalThis.ran = true");
        document.body.click();
      },
    ],
    ["the evaluation of a text", "script-src", () => setTimeout("globalThis.ran = true")],
    [
      "a style in the page",
      "style-src-elem",
      () =>
        document.head.append(Object.assign(document.createElement("style"), { textContent: "body { display: none }" })),
    ],
    ["a request to another host", "connect-src", () => fetch("https://example.com/").catch(() => undefined)],
    [
      "an image of another host",
      "img-src",
      () => document.body.append(Object.assign(new Image(), { src: "https://example.com/i.png" })),
    ],
    [
      "a frame",
      "frame-src",
      () => document.body.append(Object.assign(document.createElement("iframe"), { src: "https://example.com/" })),
    ],
    [
      "a form",
      "form-action",
      () =>
        document.body
          .appendChild(Object.assign(document.createElement("form"), { action: "https://example.com/" }))
          .submit(),
    ],
    [
      "another base address",
      "base-uri",
      () => document.head.append(Object.assign(document.createElement("base"), { href: "https://example.com/" })),
    ],
  ]) {
    test(`forbids ${what}`, async () => {
      const context = await newContext();
      const page = await context.newPage();
      await page.goto(address());
      await shown(page);
      await page.evaluate(() => {
        globalThis.refused = [];
        document.addEventListener("securitypolicyviolation", (event) =>
          globalThis.refused.push(event.effectiveDirective),
        );
      });
      await page.evaluate(act);
      await page.waitForFunction((directive) => globalThis.refused.includes(directive), directive, { timeout: 20_000 });
      assert.equal(await page.evaluate(() => globalThis.ran), undefined);
      await context.close();
    });
  }
});
