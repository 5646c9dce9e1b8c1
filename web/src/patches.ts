// The comparison of patches: the user edits the object, and the panel shows the patch of each
// type that makes the change.
import { type App, actionNames } from "./app";
import { chip } from "./chip";
import { copyButton } from "./dialog";
import { button, fieldPath, h, replace, select } from "./dom";
import { type Editor, makeEditor } from "./editor";
import { EngineError, Latest } from "./engine";
import type { Patch } from "./messages";
import { addActor, emptyStep, emptyTarget } from "./state";

export class Patches {
  #app: App;
  #made: Editor | undefined;
  /** The element of the comparison. It remains the same, so that the editor in it keeps the focus when another result is shown. */
  #root: HTMLElement | undefined;
  #row = h("div", { class: "row" });
  #results = h("div", { class: "patches" });
  #problem = h("ul", { class: "problems", "aria-live": "polite", "aria-label": "Problems in the edited object" });
  #original = "";
  #actor = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #latest = new Latest();

  constructor(app: App) {
    this.#app = app;
  }

  /** The editor, which is created when the comparison is first shown. */
  get #editor(): Editor {
    return (this.#made ??= makeEditor({
      label: "The object as it should be",
      changed: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#ask(), 60);
      },
    }));
  }

  draw(): HTMLElement {
    const { output, scenario, step } = this.#app;
    if (!output?.object) return h("p", { class: "empty" }, "No object to edit.");
    const text =
      output.rows
        .filter((r) => r.mark !== "removed")
        .map((r) => r.text)
        .join("\n") + "\n";
    if (text !== this.#original) {
      this.#original = text;
      this.#editor.show(text);
    }
    const names = scenario.actors.length > 0 ? scenario.actors.map((a) => a.name) : ["alice"]; // the manager that is added with the first step
    if (!names.includes(this.#actor)) this.#actor = step?.actor ?? names[0]!;
    this.#ask();
    replace(
      this.#row,
      select(
        "Manager",
        "patch-actor",
        names.map((name) => [name, name]),
        this.#actor,
        (v) => {
          this.#actor = v;
          this.#ask();
        },
      ),
      button("Reset", "patch-reset", () => {
        this.#editor.show(this.#original);
        this.#ask();
      }),
    );
    return (this.#root ??= h(
      "div",
      { class: "intent" },
      h(
        "p",
        null,
        "Edit the object below to see the patch of each type that makes your change, its result and the owners afterwards.",
      ),
      this.#row,
      this.#editor.host,
      this.#problem,
      this.#results,
    ));
  }

  #ask(): void {
    void this.#latest.run(async () => {
      const { scenario, state } = this.#app;
      if (this.#editor.text() === this.#original) {
        this.#editor.annotate([]);
        replace(this.#problem);
        replace(this.#results, h("p", { class: "empty" }, "The patches for your change appear here."));
        return;
      }
      try {
        const out = await this.#app.engine.ask("patches", {
          scenario,
          at: state.at,
          object: state.object,
          edited: this.#editor.text(),
          actor: this.#actor,
        });
        this.#editor.annotate([]);
        replace(this.#problem);
        replace(this.#results, ...out.patches.map((p) => this.#patch(p)));
      } catch (error) {
        const { message, line, column } =
          error instanceof EngineError ? error : { message: String(error), line: 0, column: 0 };
        this.#editor.annotate([{ line, column, message }]);
        replace(this.#results); // the patches were of the text before
        replace(
          this.#problem,
          h(
            "li",
            null,
            line > 0 ? button(`line ${line}`, "patch-problem", () => this.#editor.goTo(line, column)) : null,
            " ",
            message,
          ),
        );
      }
    });
  }

  #patch(p: Patch): HTMLElement {
    const name = p.do === "apply" ? "apply patch (server-side apply)" : (actionNames[p.do] ?? p.do);
    return h(
      "article",
      { class: "patch" },
      h("h3", null, name),
      h("p", { class: p.ok ? "good" : "bad" }, p.ok ? "✓ results in the edited object" : `✗ ${p.message}`),
      p.body ? h("pre", { tabindex: "0", role: "region", "aria-label": name }, p.body) : null,
      p.follows.length > 0 ? h("ul", { class: "follows" }, ...p.follows.map((f) => h("li", null, f))) : null,
      p.changes.length > 0
        ? h(
            "details",
            null,
            h("summary", null, `Changes of owners (${p.changes.length})`),
            h(
              "ul",
              { class: "plain" },
              ...p.changes
                .slice(0, 50)
                .map((c) =>
                  h(
                    "li",
                    null,
                    h("code", { class: "path" }, ...fieldPath(c.path)),
                    " ",
                    ...(c.ownersAfter.length > 0
                      ? c.ownersAfter.flatMap((o) => [chip(this.#app, o), " "])
                      : ["no owner"]),
                  ),
                ),
            ),
          )
        : null,
      p.body
        ? h(
            "div",
            { class: "row tight" },
            copyButton(this.#app, "Copy", `copy-${p.do}`, () => p.body),
            ...(
              [
                ["kubectl", p.kubectl],
                ["curl", p.curl],
                ["Go", p.go],
              ] as const
            ).flatMap(([name, text]) =>
              text
                ? [
                    copyButton(this.#app, name, `copy-${p.do}-${name}`, () => text, {
                      title: `Copy as ${name === "Go" ? "Go with client-go" : `a ${name} command`}`,
                    }),
                  ]
                : [],
            ),
            button("Add as a step", `use-${p.do}`, () => this.#use(p), { class: "edit" }),
          )
        : null,
    );
  }

  #use(p: Patch): void {
    this.#app.tab = "happened";
    this.#app.change("adding a patch as a step", (state) => {
      const target = this.#app.output!.object!.target;
      addActor(state.scenario, this.#actor);
      const step = {
        ...emptyStep(this.#actor),
        do: p.do,
        body: p.body,
        target: p.do === "apply" ? emptyTarget() : { ...target },
      };
      state.scenario.steps.splice(state.at, 0, step);
      state.at++;
    });
  }
}
