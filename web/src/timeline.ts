// The timeline: the actors, and the steps with what became of them.
import { type App, actionNames, colours, emptyStep } from "./app";
import { chip } from "./chip";
import { button, h, refresh, replace, select } from "./dom";
import { type Editor, makeEditor } from "./editor";
import type { Step, StepResult } from "./messages";

export class Timeline {
  #app: App;
  #host: HTMLElement;
  #editor: Editor;
  #problems = h("ul", { class: "problems", "aria-live": "polite", "aria-label": "Problems in this step" });
  #outcomes: HTMLElement[] = [];
  /** Which parts were opened or closed by hand, so that drawing anew leaves them so. */
  #unfolded = new Map<string, boolean>();

  constructor(app: App, host: HTMLElement) {
    this.#app = app;
    this.#host = host;
    this.#editor = makeEditor("Manifest or patch of the step", "", (text) => app.type(text));
    app.onChange((topic) => {
      if (topic === "shape") this.#draw();
      else this.#drawResults();
    });
  }

  #draw(): void {
    const { steps } = this.#app.scenario;
    const { at } = this.#app.state;
    const typing = this.#editor.hasFocus();
    this.#editor.setText(this.#app.step?.body ?? "");
    this.#outcomes = [];
    replace(this.#host,
      h("div", { class: "heading" }, h("h2", { id: "timeline-title" }, "Timeline"), this.#controls(at, steps.length)),
      this.#about(),
      this.#actors(),
      h("ol", { class: "steps" }, ...steps.map((step, i) => this.#step(step, i + 1, i + 1 === at))),
      h("div", { class: "row" },
        ...this.#app.scenario.actors.map((a) => button(`+ step of ${a.name}`, `add-${a.name}`, () => this.#add(a.name), { class: "add" }))),
    );
    if (typing) this.#editor.focus();
    this.#drawResults();
  }

  #about(): HTMLElement | null {
    const { title, about } = this.#app.scenario;
    if (!title && !about) return null;
    return this.#fold("about", true, h("summary", null, title || "About"), h("p", null, about));
  }

  #controls(at: number, count: number): HTMLElement {
    const go = (to: number) => () => this.#app.select(to);
    return h("div", { class: "row tight", role: "group", "aria-label": "Move in time" },
      button("«", "first", go(0), { "aria-label": "Before the first step", title: "Before the first step (Alt+Home)", disabled: at === 0 }),
      button("‹", "back", go(at - 1), { "aria-label": "One step back", title: "One step back (Alt+←)", disabled: at === 0 }),
      h("span", { class: "at" }, `step ${at} of ${count}`),
      button("›", "forward", go(at + 1), { "aria-label": "Run one step", title: "Run one step (Alt+→)", disabled: at === count }),
      button("»", "last", go(count), { "aria-label": "Run all steps", title: "Run all steps (Alt+End)", disabled: at === count }),
    );
  }

  #actors(): HTMLElement {
    const app = this.#app;
    return this.#fold("actors", false,
      h("summary", null, "Actors ", ...app.scenario.actors.flatMap((a) => [chip(app, a.name), " "])),
      ...app.scenario.actors.map((actor, i) => h("div", { class: "row" },
        h("label", null, h("span", { class: "label" }, "Name"), (() => {
          const input = h("input", { value: actor.name, maxlength: "128", "data-key": `actor-${i}`, spellcheck: "false", change: () => this.#rename(i, input.value.trim()) });
          return input;
        })()),
        select("Colour", `colour-${i}`, colours.map((c) => [c, c]), app.actor(actor.name).colour, (c) => app.change(() => (actor.colour = c))),
        button("Remove", `remove-actor-${i}`, () => this.#removeActor(i), { "aria-label": `Remove ${actor.name}`, disabled: app.scenario.actors.length === 1 }),
      )),
      button("+ actor", "add-actor", () => app.change(({ scenario }) => {
        const free = ["alice", "bob", "carol", "dave", "erin", "frank"].find((n) => !scenario.actors.some((a) => a.name === n));
        scenario.actors.push({ name: free ?? `actor-${scenario.actors.length + 1}`, colour: "" });
      }), { class: "add" }),
    );
  }

  #fold(name: string, open: boolean, ...children: Node[]): HTMLElement {
    const details = h("details", { class: name, open: this.#unfolded.get(name) ?? open, toggle: () => this.#unfolded.set(name, details.open) }, ...children);
    return details;
  }

  #rename(i: number, name: string): void {
    const { actors, steps } = this.#app.scenario;
    const old = actors[i]!.name;
    if (name === "" || actors.some((a, j) => j !== i && a.name === name)) {
      this.#app.tell(name === "" ? "An actor needs a name." : `There is an actor named ${name} already.`);
      this.#app.change(() => undefined);
      return;
    }
    this.#app.change(() => {
      actors[i]!.name = name;
      for (const step of steps) if (step.actor === old) step.actor = name;
    });
  }

  #removeActor(i: number): void {
    const { actors, steps } = this.#app.scenario;
    const name = actors[i]!.name;
    if (steps.some((s) => s.actor === name)) {
      this.#app.tell(`${name} has steps: remove those first, or give them to another actor.`);
      return;
    }
    this.#app.change(() => actors.splice(i, 1));
  }

  #add(actor: string): void {
    this.#app.change((state) => {
      const last = state.scenario.steps.findLast((s) => s.actor === actor && s.do !== "delete") ?? this.#app.step;
      const step = emptyStep(actor);
      if (last && last.body && !["json-patch", "delete"].includes(last.do)) Object.assign(step, { do: last.do, body: last.body, subresource: last.subresource, target: { ...last.target } });
      state.scenario.steps.splice(state.at, 0, step);
      state.at++;
    });
    this.#editor.focus();
  }

  #step(step: Step, n: number, selected: boolean): HTMLElement {
    const app = this.#app;
    const outcome = h("span", { class: "outcome" });
    this.#outcomes.push(outcome);
    const head = h("button", {
      type: "button", class: "head", "data-key": `step-${n}`, "aria-expanded": String(selected), "aria-current": selected ? "step" : undefined, click: () => app.select(n),
    }, h("span", { class: "number" }, String(n)), chip(app, step.actor), h("span", { class: "do" }, actionNames[step.do] ?? step.do, step.subresource ? ` · ${step.subresource}` : ""), outcome);
    return h("li", { class: `step${selected ? " selected" : ""}${n > app.state.at ? " later" : ""}` }, head, step.note ? h("p", { class: "note" }, step.note) : null, selected ? this.#form(step, n) : null);
  }

  #form(step: Step, n: number): HTMLElement {
    const app = this.#app;
    const set = (edit: (s: Step) => void) => app.change(() => edit(step));
    return h("div", { class: "form" },
      h("div", { class: "request" },
        select("Actor", "step-actor", app.scenario.actors.map((a) => [a.name, a.name]), step.actor, (v) => set((s) => (s.actor = v))),
        select("Request", "step-do", app.about.actions.map((a) => [a, actionNames[a] ?? a]), step.do, (v) => set((s) => (s.do = v))),
        select("To", "step-sub", [["", "the object"], ["status", "its status"], ["scale", "its scale"]], step.subresource, (v) => set((s) => (s.subresource = v))),
      ),
      step.do.endsWith("patch") || step.do === "delete" || step.subresource === "scale" ? this.#target(step) : null,
      step.do === "delete" ? null : this.#editor.host,
      this.#problems,
      h("div", { class: "row tight" },
        button("Duplicate", "duplicate", () => app.change((state) => {
          state.scenario.steps.splice(n, 0, structuredClone(step));
          state.at = n + 1;
        })),
        button("Earlier", "earlier", () => this.#move(n, -1), { disabled: n === 1 }),
        button("Later", "later", () => this.#move(n, 1), { disabled: n === app.scenario.steps.length }),
        button("Remove", "remove", () => app.change((state) => {
          state.scenario.steps.splice(n - 1, 1);
          if (state.at >= n) state.at = Math.max(n - 1, Math.min(1, state.scenario.steps.length));
        })),
      ),
    );
  }

  #move(n: number, by: number): void {
    this.#app.change((state) => {
      const [step] = state.scenario.steps.splice(n - 1, 1);
      state.scenario.steps.splice(n - 1 + by, 0, step!);
      state.at = n + by;
    });
  }

  #target(step: Step): HTMLElement {
    const field = (label: string, name: keyof Step["target"]) => {
      const input = h("input", { value: step.target[name], "data-key": `target-${name}`, placeholder: "as the step before", spellcheck: "false", change: () => this.#app.change(() => (step.target[name] = input.value.trim())) });
      return h("label", null, h("span", { class: "label" }, label), input);
    };
    return this.#fold("target", false, h("summary", null, "For which object"),
      h("div", { class: "row" }, field("apiVersion", "apiVersion"), field("kind", "kind"), field("namespace", "namespace"), field("name", "name")));
  }

  #drawResults(): void {
    const results = this.#app.output?.steps ?? [];
    this.#outcomes.forEach((host, i) => refresh(host, ...outcome(results[i])));
    const result = results[this.#app.state.at - 1];
    this.#editor.setMarks(result?.marks ?? []);
    const list = result && !result.ok ? (result.marks.length > 0 ? result.marks : [{ line: 0, column: 0, message: result.message }]) : [];
    replace(this.#problems, ...list.slice(0, 20).map((mark, i) => h("li", null,
      mark.line > 0 ? button(`line ${mark.line}`, `problem-${i}`, () => this.#editor.goTo(mark.line, mark.column)) : null, " ", mark.message)));
  }
}

function outcome(result: StepResult | undefined): (Node | string)[] {
  if (!result) return [];
  const code = result.code === 0 ? "no request" : String(result.code);
  const parts: (Node | string)[] = [h("span", { class: result.ok ? "good" : "bad" }, result.ok ? `✓ ${code}` : `✗ ${code}`)];
  if (result.conflicts > 0) parts.push(h("span", { class: "bad" }, result.conflicts === 1 ? "1 conflict" : `${result.conflicts} conflicts`));
  if (result.ok && !result.changed) parts.push("no change");
  if (result.resourceVersion) parts.push(h("span", { title: "resourceVersion" }, `rv ${result.resourceVersion}`));
  if (result.generation) parts.push(h("span", { title: "generation" }, `gen ${result.generation}`));
  return parts;
}
