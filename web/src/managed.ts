// The managedFields of the object, as trees of fields or as text.
import type { App } from "./app";
import { chip } from "./chip";
import { button, h, replace } from "./dom";
import type { Node as FieldNode } from "./messages";
import { clock } from "./object";

export class Managed {
  #app: App;
  #tree = true;

  constructor(app: App) {
    this.#app = app;
  }

  /** draw shows the managedFields of the object in the body of the panel. */
  async draw(body: HTMLElement): Promise<void> {
    const { scenario, state, output } = this.#app;
    if (!output?.object) {
      replace(body, h("p", { class: "empty" }, "No object."));
      return;
    }
    const out = await this.#app.engine
      .ask("managed", { scenario, at: state.at, object: state.object })
      .catch(() => null);
    if (!out || this.#app.tab !== "managed" || this.#app.output !== output) return;
    const switchTo = (tree: boolean) => () => {
      this.#tree = tree;
      void this.draw(body);
    };
    replace(
      body,
      h(
        "div",
        { class: "row tight", role: "group", "aria-label": "Show managedFields as" },
        button("Tree", "managed-tree", switchTo(true), { "aria-pressed": String(this.#tree) }),
        button("Raw", "managed-raw", switchTo(false), { "aria-pressed": String(!this.#tree) }),
      ),
      this.#tree
        ? h(
            "div",
            { class: "trees" },
            out.trees.length === 0 ? h("p", { class: "empty" }, "The object has no managedFields.") : null,
            ...out.trees.map((t, i) => {
              const m = output.object!.managers[i]!;
              return h(
                "details",
                { open: true },
                h(
                  "summary",
                  null,
                  chip(this.#app, m.name),
                  ` ${m.operation}${m.subresource ? ` of ${m.subresource}` : ""}, ${m.apiVersion} ${clock(m.time)}`,
                ),
                nodes(t.fields),
              );
            }),
          )
        : h("pre", { tabindex: "0", role: "region", "aria-label": "managedFields" }, out.yaml || "(none)"),
    );
  }
}

function nodes(list: FieldNode[]): HTMLElement {
  return h(
    "ul",
    { class: "fields" },
    ...list.map((n) =>
      h(
        "li",
        null,
        h("code", { class: n.owned ? "owned" : "" }, n.label),
        n.owned ? null : h("span", { class: "sr-only" }, " (only fields in it)"),
        n.fields.length > 0 ? nodes(n.fields) : null,
      ),
    ),
  );
}
