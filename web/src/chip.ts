import type { App } from "./app";
import { h } from "./dom";

/** chip shows a manager by letter and colour, with its name unless there is no room. */
export function chip(app: App, name: string, short = false): HTMLElement {
  const base = name.split("/")[0] ?? name;
  const actor = app.actor(base);
  return h("span", { class: "chip", "data-colour": actor.colour, title: short ? name : undefined },
    h("b", { class: "letter", "aria-hidden": "true" }, actor.letter), short ? null : h("span", null, name));
}
