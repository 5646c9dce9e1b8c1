// The list of steps: the initial live objects, and the steps with their results. The steps name
// their objects if the scenario has several.
import { type App, actionNames } from "./app";
import { chip } from "./chip";
import { colours } from "./colours";
import { button, h, refresh, replace, select } from "./dom";
import type { ExistingObject, Step, StepResult } from "./messages";
import { addActor, emptyStep } from "./state";

/** The number of live objects from which they can be filtered: fewer are in view together. */
const filteredFrom = 9;

export class Story {
  #app: App;
  #host: HTMLElement;
  #outcomes: HTMLElement[] = [];
  /** The elements that name the objects of the steps. */
  #objects: HTMLElement[] = [];
  #list = h("ol", { class: "steps" });
  #filter: HTMLInputElement = h("input", {
    type: "search",
    "data-key": "filter",
    "aria-label": "Filter the live objects by kind, name, namespace or manager",
    placeholder: "Kind, name, namespace or manager",
    spellcheck: "false",
    autocapitalize: "off",
    input: () => this.#drawResults(),
  });
  #matching = h("output", { class: "quiet" });
  #filtering = h("div", { class: "row tight filtering" }, this.#filter, this.#matching);
  #bar: HTMLElement;
  /** The step that is selected when the page is loaded. */
  #first: number;
  /** The folds that the user has opened or closed, which rendering preserves. */
  #unfolded = new Map<string, boolean>();

  constructor(app: App, host: HTMLElement, bar: HTMLElement) {
    this.#app = app;
    this.#host = host;
    this.#bar = bar;
    this.#first = app.state.at;
    app.onChange((topic) => {
      if (topic === "shape") this.#draw();
      if (topic === "result") this.#drawResults();
    });
  }

  #draw(): void {
    const { steps, actors } = this.#app.scenario;
    const { at } = this.#app.state;
    this.#outcomes = [];
    this.#objects = [];
    replace(this.#list, ...steps.map((step, i) => this.#step(step, i + 1, i + 1 === at)));
    replace(
      this.#host,
      h("div", { class: "pane-head" }, h("h2", { id: "story-title" }, "Steps"), this.#controls(at, steps.length, "")),
      h(
        "div",
        { class: "story-body" },
        this.#about(),
        this.#filtering,
        h("ul", { class: "live", "aria-label": "Live objects" }),
        this.#list,
        h(
          "div",
          { class: "row tight edit" },
          ...(actors.length <= 4
            ? actors.map((a) =>
                button(`+ Step as ${a.name}`, `add-${a.name}`, () => this.#add(a.name), { class: "add" }),
              )
            : [
                select(
                  "Add a step as",
                  "add-step",
                  [["", "…"], ...actors.map((a): [string, string] => [a.name, a.name])],
                  "",
                  (name) => name && this.#add(name),
                ),
              ]),
          actors.length === 0 ? button("+ Step", "add-step", () => this.#add("alice"), { class: "add" }) : null,
        ),
        this.#actors(),
      ),
    );
    replace(this.#bar, this.#controls(at, steps.length, "bar-"), this.#pills(at));
    this.#drawResults();
    requestAnimationFrame(() => this.#scroll()); // not here, because scrolling forces a layout of the page
  }

  /** #matches reports whether an object has all words of the filter. */
  #matches({ target, managers }: ExistingObject): boolean {
    const has = [target.kind, target.name, target.namespace, ...managers].join("\n").toLowerCase();
    return this.#filter.value
      .toLowerCase()
      .split(/\s+/)
      .every((word) => has.includes(word));
  }

  /**
   * #scroll scrolls to the selected step. Its note may remain out of view, so that the title above a
   * short list does not leave it. Below the introduction, the list shows the title until another step
   * is selected.
   */
  #scroll(): void {
    this.#bar.querySelector('[aria-current="step"]')?.scrollIntoView({ block: "nearest", inline: "center" });
    if (document.documentElement.dataset.begun === undefined && this.#app.state.at === this.#first) return;
    this.#list.querySelector(".selected .head")?.scrollIntoView({ block: "nearest" });
  }

  #about(): HTMLElement | null {
    const { title, about } = this.#app.scenario;
    if (!title && !about) return null;
    return this.#fold("about", true, h("summary", null, title || "About"), h("p", null, about));
  }

  #controls(at: number, count: number, prefix: string): HTMLElement {
    const go = (to: number) => () => this.#app.select(to);
    const move = (key: string, sign: string, label: string, keys: string, to: number, off: boolean) =>
      button(sign, prefix + key, go(to), {
        "aria-label": label,
        title: `${label} (${keys})`,
        disabled: off,
        class: `icon ${key}`,
      });
    return h(
      "div",
      { class: "row tight moves", role: "group", "aria-label": "Go to a step" },
      move("first", "«", "Before the first step", "Alt+Home", 0, at === 0),
      move("back", "‹", "One step back", "Alt+←", at - 1, at === 0),
      h("span", { class: "at" }, `step ${at} of ${count}`),
      move("forward", "›", "Run one step", "Alt+→", at + 1, at === count),
      move("last", "»", "Run all steps", "Alt+End", count, at === count),
    );
  }

  /** #pills returns the steps as a row of buttons, for narrow screens. */
  #pills(at: number): HTMLElement {
    const { steps, objects } = this.#app.scenario;
    return h(
      "ol",
      { class: "pills", "aria-label": "Steps" },
      objects.length > 0
        ? h(
            "li",
            null,
            h(
              "button",
              {
                type: "button",
                "aria-label": "The live objects",
                "aria-current": at === 0 ? "step" : undefined,
                click: () => this.#app.select(0),
              },
              "live",
            ),
          )
        : null,
      ...steps.map((step, i) =>
        h(
          "li",
          null,
          h(
            "button",
            {
              type: "button",
              "data-step": String(i + 1),
              "aria-label": `Step ${i + 1}, ${step.actor}`,
              "aria-current": i + 1 === at ? "step" : undefined,
              click: () => this.#app.select(i + 1),
            },
            String(i + 1),
            h("span", { class: "pill-outcome" }),
          ),
        ),
      ),
    );
  }

  #actors(): HTMLElement {
    const app = this.#app;
    return this.#fold(
      "actors",
      false,
      h("summary", null, "Managers ", ...app.scenario.actors.flatMap((a) => [chip(app, a.name), " "])),
      ...app.scenario.actors.map((actor, i) => {
        const input = h("input", {
          value: actor.name,
          maxlength: "128",
          "data-key": `actor-${i}`,
          spellcheck: "false",
          change: () => this.#rename(i, input.value.trim()),
        });
        return h(
          "div",
          { class: "row edit" },
          h("label", null, h("span", { class: "label" }, "Name"), input),
          select(
            "Colour",
            `colour-${i}`,
            colours.map((c) => [c, c]),
            app.look(actor.name).colour,
            (c) => app.change("changing a colour", () => (app.scenario.actors[i]!.colour = c)),
          ),
          button("Remove", `remove-actor-${i}`, () => this.#removeActor(i), {
            "aria-label": `Remove ${actor.name}`,
            disabled: app.scenario.actors.length === 1,
          }),
        );
      }),
      h(
        "div",
        { class: "edit" },
        button(
          "+ Manager",
          "add-actor",
          () =>
            app.change("adding a manager", ({ scenario }) => {
              const free = ["alice", "bob", "carol", "dave", "erin", "frank"].find(
                (n) => !scenario.actors.some((a) => a.name === n),
              );
              scenario.actors.push({ name: free ?? `manager-${scenario.actors.length + 1}`, colour: "" });
            }),
          { class: "add" },
        ),
      ),
    );
  }

  #fold(key: string, open: boolean, ...children: HTMLElement[]): HTMLElement {
    children[0]!.dataset.key = `fold-${key}`; // the summary, which keeps the focus when the list is rendered again
    const details: HTMLDetailsElement = h(
      "details",
      {
        class: `fold ${key}`,
        "data-key": key,
        open: this.#unfolded.get(key) ?? open,
        toggle: () => this.#unfolded.set(key, details.open),
      },
      ...children,
    );
    return details;
  }

  #rename(i: number, to: string): void {
    const { actors } = this.#app.scenario;
    const from = actors[i]!.name;
    if (!to || actors.some((a) => a.name === to)) {
      if (to !== from) this.#app.tell(to ? `There is already a manager named ${to}.` : "A manager needs a name.");
      this.#draw();
      return;
    }
    this.#app.change("renaming a manager", ({ scenario }) => {
      scenario.actors[i]!.name = to;
      for (const step of scenario.steps) if (step.actor === from) step.actor = to;
      scenario.race = scenario.race.map((text) => {
        const change = JSON.parse(text) as { actor: string };
        return change.actor === from ? JSON.stringify({ ...change, actor: to }) : text;
      });
    });
  }

  #removeActor(i: number): void {
    const { name } = this.#app.scenario.actors[i]!;
    const { steps, race } = this.#app.scenario;
    if (race.some((text) => (JSON.parse(text) as { actor: string }).actor === name)) {
      this.#app.tell(`${name} takes part in the race of the scenario file.`);
      return;
    }
    if (steps.some((s) => s.actor === name)) {
      this.#app.tell(`${name} has steps. Assign them to another manager or remove them first.`);
      return;
    }
    this.#app.changeAndTell(`removing ${name}`, `Removed ${name}.`, ({ scenario }) => scenario.actors.splice(i, 1));
  }

  #add(name: string): void {
    this.#app.change("adding a step", (state) => {
      const { scenario, at } = state;
      addActor(scenario, name);
      const before = scenario.steps
        .slice(0, at)
        .findLast((s) => s.do.endsWith("apply") || s.do === "create" || s.do === "update");
      scenario.steps.splice(at, 0, { ...emptyStep(name), ...(before ? { body: before.body } : {}) });
      state.at = at + 1;
    });
  }

  #step(step: Step, n: number, selected: boolean): HTMLElement {
    const outcome = h("span", { class: "outcome" });
    const object = h("span", null);
    this.#outcomes.push(outcome);
    this.#objects.push(object);
    return h(
      "li",
      { class: `step${selected ? " selected" : ""}${n > this.#app.state.at ? " later" : ""}` },
      h(
        "button",
        {
          type: "button",
          class: "head",
          "data-key": `step-${n}`,
          "aria-current": selected ? "step" : undefined,
          click: () => this.#app.select(n),
        },
        h("span", { class: "number" }, String(n)),
        chip(this.#app, step.actor),
        h(
          "span",
          { class: "do" },
          actionNames[step.do] ?? step.do,
          step.subresource ? ` · ${step.subresource}` : "",
          object,
        ),
        outcome,
      ),
      step.note ? h("p", { class: "note" }, step.note) : null,
    );
  }

  #drawResults(): void {
    const { output } = this.#app;
    const results = output?.steps ?? [];
    this.#outcomes.forEach((host, i) => refresh(host, ...outcomeOf(results[i])));
    const names = results.map(({ target }) => (target.name ? `${target.kind}/${target.name}` : ""));
    const several =
      new Set([
        ...names.filter(Boolean),
        ...(output?.objects ?? []).filter((o) => o.ok).map(({ target }) => `${target.kind}/${target.name}`),
      ]).size > 1;
    this.#objects.forEach((host, i) => refresh(host, several && names[i] ? ` · ${names[i]}` : ""));
    this.#bar.querySelectorAll<HTMLElement>("[data-step]").forEach((pill, i) => {
      const r = results[i];
      pill.dataset.outcome = !r ? "" : r.ok ? "good" : "bad";
      refresh(pill.querySelector(".pill-outcome")!, !r ? "" : r.ok ? "✓" : r.conflicts > 0 ? "⚡" : "✗");
    });
    this.#drawLive();
  }

  /** #drawLive lists the live objects that match the filter, with their namespaces if they are in several. */
  #drawLive(): void {
    const { output, state } = this.#app;
    const objects = output?.objects ?? [];
    this.#filtering.hidden = objects.length < filteredFrom;
    if (this.#filtering.hidden) this.#filter.value = "";
    const matching = objects.map((o) => this.#matches(o));
    const n = matching.filter(Boolean).length;
    const text = n === objects.length ? "" : `${n} of ${objects.length}`;
    if (this.#matching.textContent !== text) this.#matching.textContent = text;
    const namespaces = new Set(objects.map((o) => o.target.namespace)).size > 1;
    const live = this.#host.querySelector(".live");
    if (live)
      refresh(
        live,
        ...objects.map((o, i) =>
          matching[i]
            ? h(
                "li",
                { class: `step live-object${state.at === 0 && state.object === i ? " selected" : ""}` },
                h(
                  "button",
                  {
                    type: "button",
                    class: "head",
                    "data-key": `live-${i}`,
                    "aria-current": state.at === 0 && state.object === i ? "step" : undefined,
                    disabled: !o.ok,
                    click: () =>
                      this.#app.change("", (s) => {
                        s.at = 0;
                        s.object = i;
                      }),
                  },
                  h("span", { class: "number", "aria-hidden": "true" }, "◉"),
                  h(
                    "span",
                    { class: "do" },
                    o.ok ? `${o.target.kind} ${o.target.name}` : "an invalid object",
                    namespaces && o.target.namespace ? h("span", { class: "quiet" }, ` ${o.target.namespace}`) : null,
                  ),
                  h("span", { class: "outcome" }, ...o.managers.slice(0, 6).map((m) => chip(this.#app, m, true))),
                ),
                o.ok
                  ? null
                  : h("p", { class: "note bad" }, o.mark.line > 0 ? `line ${o.mark.line}: ` : "", o.mark.message),
              )
            : null,
        ),
      );
  }
}

/** announcementOf returns the result of a step for screen readers. */
export const announcementOf = (result: StepResult | undefined): string =>
  !result
    ? ""
    : [
        result.code || "no request",
        result.conflicts === 1 ? "1 conflict" : result.conflicts > 1 ? `${result.conflicts} conflicts` : "",
        result.ok && !result.changed ? "no change" : "",
      ]
        .filter(Boolean)
        .join(", ");

function outcomeOf(result: StepResult | undefined): (Node | string)[] {
  if (!result) return [];
  const code = result.code === 0 ? "no request" : String(result.code);
  const parts: (Node | string)[] = [
    h("span", { class: result.ok ? "good" : "bad" }, result.ok ? `✓ ${code}` : `✗ ${code}`),
  ];
  if (result.conflicts > 0)
    parts.push(h("span", { class: "bad" }, result.conflicts === 1 ? "1 conflict" : `${result.conflicts} conflicts`));
  if (result.ok && !result.changed) parts.push("no change");
  return parts;
}
