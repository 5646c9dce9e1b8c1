// The state of the page: a scenario, and the selected step. Changes are recorded for undo.
import type { Scenario, Step } from "./messages";

/** State is the contents of a link. */
export interface State {
  scenario: Scenario;
  /** The number of steps that have been run. */
  at: number;
  /** The index of the live object that is shown before the first step. */
  object: number;
}

export const emptyTarget = () => ({ apiVersion: "", kind: "", namespace: "", name: "" });

export const emptyStep = (actor: string): Step => ({
  actor,
  do: "apply",
  subresource: "",
  note: "",
  expect: "",
  target: emptyTarget(),
  body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n",
});

/** addActor adds a manager to a scenario, unless it is one of its managers. */
export function addActor({ actors }: Scenario, name: string): void {
  if (!actors.some((a) => a.name === name)) actors.push({ name, colour: "" });
}

export const emptyScenario = (): Scenario => ({
  title: "",
  about: "",
  kubernetes: "",
  definitions: [],
  objects: [],
  actors: [{ name: "alice", colour: "" }],
  steps: [],
  race: [],
});

const ids = new WeakMap<Step, number>();
let made = 0;

/** idOf returns an id for a step that is stable until the page is closed, even if the step is moved or a change is undone. */
export function idOf(step: Step): number {
  let id = ids.get(step);
  if (id === undefined) ids.set(step, (id = ++made));
  return id;
}

function copyStep(step: Step): Step {
  const copy = { ...step, target: { ...step.target } };
  ids.set(copy, idOf(step));
  return copy;
}

/** copyOf copies a state; the copy shares its texts, which may be large. */
export function copyOf({ scenario, at, object }: State): State {
  const { definitions, objects, actors, steps, race } = scenario;
  return {
    at,
    object,
    scenario: {
      ...scenario,
      definitions: [...definitions],
      objects: [...objects],
      actors: actors.map((a) => ({ ...a })),
      steps: steps.map(copyStep),
      race: [...race],
    },
  };
}

/** sameTexts reports whether two lists have the same texts. */
export const sameTexts = (a: string[], b: string[]): boolean =>
  a.length === b.length && a.every((text, i) => text === b[i]);

/** same reports whether two states have the same scenario. */
export function same(a: Scenario, b: Scenario): boolean {
  return (
    a.title === b.title &&
    a.about === b.about &&
    a.kubernetes === b.kubernetes &&
    sameTexts(a.definitions, b.definitions) &&
    sameTexts(a.objects, b.objects) &&
    sameTexts(a.race, b.race) &&
    JSON.stringify(a.actors) === JSON.stringify(b.actors) &&
    a.steps.length === b.steps.length &&
    a.steps.every((step, i) => sameStep(step, b.steps[i]!))
  );
}

function sameStep(a: Step, b: Step): boolean {
  return (
    a === b ||
    (a.body === b.body &&
      a.actor === b.actor &&
      a.do === b.do &&
      a.subresource === b.subresource &&
      a.note === b.note &&
      a.expect === b.expect &&
      JSON.stringify(a.target) === JSON.stringify(b.target))
  );
}

interface Entry {
  what: string;
  /** The key of a change by typing, "" for other changes. */
  key: string;
  before: State;
}

/** The maximum number of changes that can be undone. */
const mostEntries = 300;

/** The maximum time in milliseconds between two key presses of the same change. */
const pause = 1200;

export class History {
  #past: Entry[] = [];
  #future: Entry[] = [];
  #typed = 0;

  get undoes(): string {
    return this.#past.at(-1)?.what ?? "";
  }

  get redoes(): string {
    return this.#future.at(-1)?.what ?? "";
  }

  /** typing returns the key of the last change if it was made by typing. */
  get typing(): string {
    return this.#past.at(-1)?.key ?? "";
  }

  /** record adds a change, with its description and the state before it. */
  record(what: string, before: State): void {
    this.#push({ what, key: "", before });
  }

  /** recordTyping adds a change by typing, or merges it into the previous one if both belong together. */
  recordTyping(what: string, key: string, before: () => State): void {
    const now = performance.now();
    const goesOn = this.typing === key && now - this.#typed < pause;
    this.#typed = now;
    if (!goesOn) this.#push({ what, key, before: before() });
  }

  #push(entry: Entry): void {
    this.#past.push(entry);
    if (this.#past.length > mostEntries) this.#past.shift();
    this.#future = [];
  }

  /** undo returns the state before the last change; null if there is none. */
  undo(now: State): { what: string; state: State } | null {
    return this.#move(this.#past, this.#future, now);
  }

  redo(now: State): { what: string; state: State } | null {
    return this.#move(this.#future, this.#past, now);
  }

  #move(from: Entry[], to: Entry[], now: State): { what: string; state: State } | null {
    for (let entry = from.pop(); entry; entry = from.pop()) {
      to.push({ what: entry.what, key: "", before: copyOf(now) });
      if (!same(entry.before.scenario, now.scenario)) return { what: entry.what, state: copyOf(entry.before) };
      to.pop(); // the editor undid it
    }
    return null;
  }
}
