import type { App } from "./app";
import { h } from "./dom";

/** chip renders a manager, whose name a subresource may follow, as a letter with shape and colour, and its name unless short is set. */
export function chip(app: App, name: string, short = false): HTMLElement {
  const { colour, letter, shape } = app.look(name);
  return h(
    "span",
    { class: "chip", "data-colour": colour, title: short ? name : undefined },
    h("b", { class: "letter", "data-shape": shape, "aria-hidden": "true" }, letter),
    short ? null : h("span", null, name),
  );
}
