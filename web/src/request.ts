// The selected step: its manager, its type, and the editor of its manifest or patch, which marks
// errors and shows conflicts with their resolutions.
import { type App, actionNames } from "./app";
import { ConflictCard, type Contested, contested } from "./cards";
import { button, h, pathButton, replace, select } from "./dom";
import { type Card, type Editor, makeEditor } from "./editor";
import type { Step } from "./messages";
import { idOf } from "./state";
import { type Hint, yamlKeys } from "./yamlkeys";

export class Request {
  #app: App;
  #host: HTMLElement;
  #editor: Editor;
  #problems = h("ul", { class: "problems", "aria-live": "polite", "aria-label": "Problems in this step" });
  #form = h("div", { class: "form" });
  #all = h("div", { class: "all-conflicts" });
  #targetOpen = false;
  /** The rendered problems and conflicts, which are rendered again only if they differ. */
  #look = "";
  /** The cards of conflicts by key. */
  #shown = new Map<string, ConflictCard>();

  constructor(app: App, host: HTMLElement, readOnly: boolean) {
    this.#app = app;
    this.#host = host;
    this.#editor = makeEditor({
      label: "Manifest or patch of the step",
      readOnly,
      ...(app.step && { text: app.step.body, id: idOf(app.step) }),
      changed: (text, again) => app.type(text, again),
      undo: () => this.#undo(),
      redo: () => {
        if (!app.history.redoes) return false;
        app.redo();
        return true;
      },
    });
    host.replaceChildren(this.#form, this.#problems, this.#all, this.#editor.host);
    app.onChange((topic) => {
      if (topic === "shape") this.#draw();
      if (topic === "result") this.#drawResults();
    });
  }

  /** goToConflict scrolls to the card of a conflict. */
  goToConflict(line: number, column: number): void {
    this.#editor.goTo(line, column);
  }

  /** #undo undoes the last change of the page, unless that was typing in this step, which the editor undoes. */
  #undo(): boolean {
    const { history, step } = this.#app;
    if (!history.undoes || (step && history.typing === `type ${idOf(step)}`)) return false;
    this.#app.undo();
    return true;
  }

  #draw(): void {
    const { step } = this.#app;
    this.#host.classList.toggle("no-step", !step);
    if (!step) {
      const { objects, steps } = this.#app.scenario;
      replace(
        this.#form,
        h(
          "p",
          { class: "empty" },
          objects.length > 0
            ? "This is the live object before the first step."
            : steps.length > 0
              ? "This is the beginning, before the first step."
              : "No step yet.",
        ),
        objects.length > 0 && steps.length === 0
          ? h(
              "div",
              { class: "row edit" },
              button("Apply a manifest", "to-result", () => this.#app.offerManifest()),
            )
          : null,
      );
      this.#editor.show("");
      this.#editor.host.hidden = true;
      replace(this.#problems);
      replace(this.#all);
      this.#look = "";
      return;
    }
    this.#editor.host.hidden = step.do === "delete";
    this.#editor.show(step.body, idOf(step));
    replace(this.#form, ...this.#parts(step));
    this.#editor.annotate([]);
  }

  #parts(step: Step): (HTMLElement | null)[] {
    const app = this.#app;
    const n = app.state.at;
    const set = (what: string, edit: (s: Step) => void) =>
      app.change(what, ({ scenario }) => edit(scenario.steps[n - 1]!));
    const actors = app.scenario.actors.map((a): [string, string] => [a.name, a.name]);
    if (!actors.some(([name]) => name === step.actor)) actors.push([step.actor, step.actor]);
    return [
      h("div", { class: "request-head" }, h("h2", null, `Step ${n}`), this.#menu(step, n)),
      h(
        "div",
        { class: "request-line edit" },
        select("Manager", "step-actor", actors, step.actor, (v) => set("changing the manager", (s) => (s.actor = v))),
        select(
          "Request",
          "step-do",
          app.about.actions.map((a) => [a, actionNames[a] ?? a]),
          step.do,
          (v) => void this.#convert(step, v),
        ),
        select(
          "Subresource",
          "step-sub",
          [
            ["", "none"],
            ["status", "status"],
            ["scale", "scale"],
          ],
          step.subresource,
          (v) => set("changing the subresource", (s) => (s.subresource = v)),
        ),
      ),
      step.do.endsWith("patch") || step.do === "delete" || step.subresource === "scale" ? this.#target(step) : null,
      step.expect
        ? h(
            "details",
            { class: "fold" },
            h("summary", null, "Expected result"),
            h("pre", { tabindex: "0", role: "region", "aria-label": "Expected result of the step" }, step.expect),
            button("Remove", "remove-expect", () => set("removing an expectation", (s) => (s.expect = "")), {
              class: "edit",
              "aria-label": "Remove the expectation",
            }),
          )
        : null,
    ];
  }

  /** #convert changes the type of the request, and converts the body if a request of the new type can set the same values. */
  async #convert(step: Step, action: string): Promise<void> {
    const app = this.#app;
    const at = app.state.at;
    const { body } = step;
    const answer =
      body.trim() === ""
        ? null
        : await app.engine.ask("convert", { scenario: app.scenario, at, do: action }).catch(() => null);
    if (app.step !== step) return;
    const out = step.body === body ? answer : null; // a body that was typed meanwhile is kept
    app.change("changing the type of the request", ({ scenario }) =>
      Object.assign(scenario.steps[at - 1]!, out?.step ?? {}, { do: action }),
    );
    if (!out || out.kept) return;
    const name = `${action === "update" ? "an" : "a"} ${actionNames[action] ?? action}`;
    const effect =
      action.endsWith("apply") && action !== "client-side-apply" ? "." : `; ${name} does not check owners.`;
    app.tell(`Converted to ${name}${out.patch.ok ? ` that sets the same values${effect}` : `: ${out.patch.message}`}`, {
      text: "Undo",
      run: () => app.undo(),
    });
  }

  /** #menu returns the buttons that move, duplicate and remove the step. */
  #menu(step: Step, n: number): HTMLElement {
    const app = this.#app;
    const count = app.scenario.steps.length;
    return h(
      "div",
      { class: "row tight step-menu edit", role: "group", "aria-label": "The step" },
      button("↑", "earlier", () => this.#move(n, -1), {
        disabled: n === 1,
        "aria-label": "Earlier",
        title: "Move the step earlier",
        class: "icon",
      }),
      button("↓", "later", () => this.#move(n, 1), {
        disabled: n === count,
        "aria-label": "Later",
        title: "Move the step later",
        class: "icon",
      }),
      button(
        "Duplicate",
        "duplicate",
        () =>
          app.change("duplicating the step", (state) => {
            state.scenario.steps.splice(n, 0, { ...structuredClone(step), expect: "" });
            state.at = n + 1;
          }),
        { title: "Duplicate the step", class: "icon" },
      ),
      button(
        "Remove",
        "remove",
        () =>
          app.changeAndTell(`removing step ${n}`, `Removed step ${n}.`, (state) => {
            state.scenario.steps.splice(n - 1, 1);
            if (state.at >= n) state.at = Math.max(n - 1, Math.min(1, state.scenario.steps.length));
          }),
        { title: "Remove the step", class: "icon" },
      ),
    );
  }

  #move(n: number, by: number): void {
    this.#app.change("moving the step", (state) => {
      const [step] = state.scenario.steps.splice(n - 1, 1);
      state.scenario.steps.splice(n - 1 + by, 0, step!);
      state.at = n + by;
    });
  }

  #target(step: Step): HTMLElement {
    const n = this.#app.state.at;
    const field = (label: string, name: keyof Step["target"]) => {
      const input = h("input", {
        value: step.target[name],
        "data-key": `target-${name}`,
        placeholder: "same as the step before",
        spellcheck: "false",
        change: () =>
          this.#app.change("changing the target", (s) => (s.scenario.steps[n - 1]!.target[name] = input.value.trim())),
      });
      return h("label", null, h("span", { class: "label" }, label), input);
    };
    const details: HTMLDetailsElement = h(
      "details",
      { class: "fold target", open: this.#targetOpen, toggle: () => (this.#targetOpen = details.open) },
      h("summary", null, "Target object"),
      h(
        "div",
        { class: "target-fields" },
        field("apiVersion", "apiVersion"),
        field("kind", "kind"),
        field("namespace", "namespace"),
        field("name", "name"),
      ),
    );
    return details;
  }

  #drawResults(): void {
    const { output, state, step } = this.#app;
    if (!step) return;
    const result = output?.steps[state.at - 1];
    const fields = contested(output?.conflicts ?? []);
    const placed = fields.some((c) => c.mark.line > 0);
    const problems: Hint[] =
      placed || !result || result.ok
        ? []
        : result.marks.length > 0
          ? result.marks
          : [{ line: 0, column: 0, message: result.message }];
    const keys = result && output ? yamlKeys(step.body, result, output.rows) : [];
    this.#drawProblems(step, [...problems.slice(0, 20), ...keys], fields);
    this.#editor.annotate(result?.marks ?? [], this.#cards(step, fields)); // last, because it forces a layout if the editor has the focus
  }

  /** #drawProblems lists the problems and conflicts of the step, unless the same ones are listed. */
  #drawProblems(step: Step, problems: Hint[], fields: Contested[]): void {
    const look = JSON.stringify([idOf(step), problems, fields.map((c) => [c.path, c.mark])]);
    if (look === this.#look) return;
    this.#look = look;
    replace(
      this.#problems,
      ...problems.map((mark, i) =>
        h(
          "li",
          { class: mark.hint ? "hint" : undefined },
          mark.line > 0
            ? button(`line ${mark.line}`, `problem-${i}`, () => this.#editor.goTo(mark.line, mark.column))
            : null,
          " ",
          mark.message,
        ),
      ),
    );
    const link = (c: Contested, i: number) => [
      pathButton(c.path, `conflict-${i}`, () => c.mark.line > 0 && this.#editor.goTo(c.mark.line, c.mark.column)),
      " ",
    ];
    replace(
      this.#all,
      ...(fields.length > 0
        ? [
            h(
              "div",
              { class: "stacked" },
              h(
                "p",
                null,
                fields.length === 1 ? "Conflict: " : `${fields.length} fields in conflict: `,
                ...fields.slice(0, 30).flatMap(link),
              ),
              fields.length > 1 ? this.#card(`${idOf(step)} all`, fields, -1).element : null,
            ),
          ]
        : []),
    );
  }

  /** #cards returns the cards of the conflicting fields in the manifest. Existing cards are reused and show the new values. */
  #cards(step: Step, fields: Contested[]): Card[] {
    const cards = fields.flatMap((c, i) => {
      const key = `${idOf(step)} ${JSON.stringify([c.path, c.owners.map(({ name }) => name), c.ways])}`;
      return c.mark.line > 0 ? [{ line: c.mark.line, key, make: () => this.#card(key, fields, i).element }] : [];
    });
    for (const [key, card] of this.#shown) {
      if (key.endsWith(" all") || cards.some((c) => c.key === key)) card.show(fields);
      else this.#shown.delete(key);
    }
    return cards;
  }

  #card(key: string, fields: Contested[], number: number): ConflictCard {
    const card = new ConflictCard(this.#app, fields, number, () => this.#editor.focus());
    this.#shown.set(key, card);
    return card;
  }
}
