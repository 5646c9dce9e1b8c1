// CEL rules of custom resources, which an engine of their own evaluates.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { groupTime } from "./browser.mjs";
import { begin, drop, editor, end, open, settled, write } from "./visit.mjs";

before(begin);
after(end);

const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ranges.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: ranges, kind: Range}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: {min: {type: integer}, max: {type: integer}}
            x-kubernetes-validations:
            - {rule: self.min <= self.max, message: min must not exceed max}
`;
const body = (max) => `apiVersion: example.com/v1\nkind: Range\nmetadata: {name: r}\nspec:\n  min: 3\n  max: ${max}\n`;
const indented = (text) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
const scenario = `scenario: patchlab.dev/v1
title: A rule
definitions:
- |
${indented(definition)}
actors:
- name: a
steps:
- actor: a
  do: apply
  body: |
${indented(indented(body(2)))}
`;

const code = (page, text) => page.locator(".verdict .code", { hasText: text });

/** begun opens the page with an object that breaks a rule. */
async function begun(options) {
  const visit = await open(options);
  await drop(visit.page.locator("#object"), scenario);
  await settled(visit.page);
  await visit.page.keyboard.press("Alt+End");
  await visit.page.getByText("1 CEL rule was not evaluated.").waitFor();
  return visit;
}

describe("CEL rules", { timeout: groupTime }, () => {
  test("are evaluated once the visitor has loaded what evaluates them, as they type", async () => {
    const { page, done } = await begun();
    await code(page, "201").waitFor();
    await page.getByRole("button", { name: /Evaluate/ }).click();
    await page.getByText("min must not exceed max").first().waitFor({ timeout: 120_000 });
    await code(page, "422").waitFor();
    assert.equal(await page.getByText("not evaluated").count(), 0);
    await write(page, editor(page), body(4));
    await code(page, "201").waitFor();
    await done();
  });

  test("can be tried again where loading them failed", async () => {
    const { page, context } = await begun({ serviceWorkers: "block" });
    await page.route("**/rules-*.wasm", (route) => route.fulfill({ status: 503 }));
    await page.getByRole("button", { name: /Evaluate/ }).click();
    await page.getByText("the host answers 503").waitFor();
    await page.unroute("**/rules-*.wasm");
    await page.getByRole("button", { name: /Evaluate/ }).click();
    await page.getByText("min must not exceed max").first().waitFor({ timeout: 120_000 });
    await context.close();
  });
});
