// The page's state: a scenario, and the part of it that is shown. Changes are recorded for
// undo.
import type { Scenario, Step } from "./messages";

/** State is all that a link carries. */
export interface State {
  scenario: Scenario;
  /** How many steps are shown as run. */
  at: number;
  /** Which of the objects that the scenario begins with is shown before the first step. */
  object: number;
}

export const emptyTarget = () => ({ apiVersion: "", kind: "", namespace: "", name: "" });

export const emptyStep = (actor: string): Step => ({
  actor, do: "apply", subresource: "", note: "", expect: "", target: emptyTarget(),
  body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n",
});

export const emptyScenario = (): Scenario => ({
  title: "", about: "", kubernetes: "", definitions: [], objects: [], actors: [{ name: "alice", colour: "" }], steps: [], race: [],
});

const ids = new WeakMap<Step, number>();
let made = 0;

/** idOf identifies a step for as long as the page is open, also where it is moved or undone. */
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

/** copyOf copies a state. Its texts, which may be large, are shared. */
export function copyOf({ scenario, at, object }: State): State {
  const { definitions, objects, actors, steps, race } = scenario;
  return {
    at, object,
    scenario: { ...scenario, definitions: [...definitions], objects: [...objects], actors: actors.map((a) => ({ ...a })), steps: steps.map(copyStep), race: [...race] },
  };
}

/** same reports whether two states hold the same scenario. */
export function same(a: Scenario, b: Scenario): boolean {
  const texts = (x: string[], y: string[]) => x.length === y.length && x.every((text, i) => text === y[i]);
  return a.title === b.title && a.about === b.about && a.kubernetes === b.kubernetes && texts(a.definitions, b.definitions) && texts(a.objects, b.objects) && texts(a.race, b.race) &&
    JSON.stringify(a.actors) === JSON.stringify(b.actors) && a.steps.length === b.steps.length && a.steps.every((step, i) => sameStep(step, b.steps[i]!));
}

function sameStep(a: Step, b: Step): boolean {
  return a === b || (a.body === b.body && a.actor === b.actor && a.do === b.do && a.subresource === b.subresource && a.note === b.note && a.expect === b.expect && JSON.stringify(a.target) === JSON.stringify(b.target));
}

interface Entry {
  what: string;
  /** What typing the entry is of, "" for another change. */
  key: string;
  before: State;
}

/** How many changes can be undone. */
const mostEntries = 300;

/** How long after a key the next one still belongs to the same change. */
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

  /** typing is the key of the last change if that was made by typing. */
  get typing(): string {
    return this.#past.at(-1)?.key ?? "";
  }

  /** record notes what a change is called and the state before it. */
  record(what: string, before: State): void {
    this.#push({ what, key: "", before });
  }

  /** recordTyping joins the keys of one go to one change. */
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

  /** undo returns the state before the last change; null where there is none. */
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
      to.pop(); // an editor has undone it itself
    }
    return null;
  }
}
