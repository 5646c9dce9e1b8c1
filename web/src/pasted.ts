// The list of the definitions and objects in a pasted text, for the paste dialog. A text may
// contain tens of thousands of objects.
import type { App } from "./app";
import { copyButton } from "./dialog";
import { button, h, replace } from "./dom";
import type { PastedDefinition, PastedObject, PasteOutput } from "./messages";

/** The number of entries that are listed at once; more can be found by a filter. */
const mostListed = 30;

interface Entry {
  /** What the filter searches. */
  text: string;
  make(): HTMLElement;
}

/** counted returns a number with its noun, such as "30,000 objects". */
export const counted = (n: number, noun: string): string => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

/** contents lists what a text contains, objects of unknown kinds first. start is called for an object that is chosen among several. */
export function contents(
  app: App,
  { definitions, objects }: PasteOutput,
  start: (o: PastedObject) => void,
): HTMLElement[] {
  const unknown = objects.filter((o) => !o.known);
  const choice = objects.length > unknown.length + 1 ? start : undefined;
  const entries = [
    ...definitions.map(definition),
    ...unknown.map((o) => unknownObject(app, o)),
    ...objects.filter((o) => o.known).map((o) => knownObject(o, choice)),
  ];
  if (entries.length <= mostListed) return [h("ul", { class: "plain" }, ...entries.map((e) => e.make()))];
  const list = h("ul", { class: "plain scrolled", tabindex: "0", "aria-label": "Objects" });
  const more = h("p", { class: "quiet" });
  const show = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = entries.filter(({ text }) => words.every((w) => text.includes(w)));
    replace(list, ...found.slice(0, mostListed).map((e) => e.make()));
    const left = found.length - mostListed;
    more.textContent =
      found.length === 0
        ? "No match."
        : left > 0
          ? `and ${left.toLocaleString("en")} more: filter to find them`
          : found.length === 1
            ? "1 match"
            : `${found.length} matches`;
  };
  const find: HTMLInputElement = h("input", {
    type: "search",
    placeholder: "Filter by kind or name",
    "aria-label": "Filter the objects",
    spellcheck: "false",
    input: show,
  });
  show();
  const counts = [
    counted(objects.length, "object"),
    unknown.length > 0 ? `${unknown.length.toLocaleString("en")} of unknown kinds` : "",
    definitions.length > 0 ? counted(definitions.length, "CustomResourceDefinition") : "",
  ];
  // The list is not announced with each change of the filter; the number of matches is.
  return [
    h("p", null, h("b", null, counts.filter(Boolean).join(", "))),
    h("div", { class: "stacked", "aria-live": "off" }, find, list),
    more,
  ];
}

function definition(d: PastedDefinition): Entry {
  return {
    text: `customresourcedefinition ${d.name}`.toLowerCase(),
    make: () => h("li", null, h("span", { class: "good" }, "✓ "), h("b", null, d.name), " CustomResourceDefinition"),
  };
}

const textOf = ({ target: { apiVersion, kind, namespace, name } }: PastedObject): string =>
  `${kind} ${name} ${namespace} ${apiVersion}`.toLowerCase();

/** heading returns an object's name. */
const heading = ({ target }: PastedObject): (Node | string)[] => [
  h("b", null, `${target.kind} ${target.name}`),
  ` ${target.apiVersion}${target.namespace ? `, namespace ${target.namespace}` : ""}`,
];

function unknownObject(app: App, o: PastedObject): Entry {
  const command = /^a custom resource needs .*: (kubectl get crd [a-z\d.-]+ -o yaml)$/.exec(o.hint)?.[1];
  return {
    text: textOf(o),
    make: () =>
      h(
        "li",
        null,
        h("span", { class: "bad" }, "✗ "),
        ...heading(o),
        h(
          "p",
          null,
          o.hint
            ? `Unknown kind: ${o.hint}`
            : "Unknown kind. If it is a custom resource, paste its CustomResourceDefinition too.",
        ),
        command ? copyButton(app, "Copy the command", `crd-${o.target.kind}`, () => command) : null,
      ),
  };
}

function knownObject(o: PastedObject, start: ((o: PastedObject) => void) | undefined): Entry {
  return {
    text: textOf(o),
    make: () =>
      h(
        "li",
        { class: "row between" },
        h(
          "span",
          null,
          h("span", { class: "good" }, "✓ "),
          ...heading(o),
          h("span", { class: "quiet" }, ownership(o)),
          o.hint ? h("p", { class: "warning" }, `This is ${o.hint}.`) : null,
        ),
        start
          ? button("Only this one", `only-${textOf(o)}`, () => start(o), {
              class: "quiet",
              "aria-label": `Only this one: ${o.target.kind} ${o.target.name}`,
            })
          : null,
      ),
  };
}

function ownership(o: PastedObject): string {
  const names = new Set(o.managers.map((m) => m.name)).size;
  if (names > 0) return `, ${counted(names, "manager")}`;
  return o.live ? ", no managedFields" : ", a manifest, not a live object";
}
