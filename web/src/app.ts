// What the page shows and what a person changes: the one state, and the answers
// of the engine to it. Views are told what has changed and draw it.
import { Engine, Latest } from "./engine";
import type { AboutOutput, Actor, LineOutput, RunOutput, Scenario, Step } from "./messages";
import { keep, keepBefore, keptBefore, type State, toFragment } from "./share";

/** What may have changed: "shape" is the state, "result" the engine's answer to it. */
export type Topic = "shape" | "result";

export type Tab = "happened" | "conflicts" | "managed" | "patches";

export const emptyStep = (actor: string): Step => ({
  actor, do: "apply", subresource: "", note: "",
  target: { apiVersion: "", kind: "", namespace: "", name: "" },
  body: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: blue\n",
});

export const emptyScenario = (): Scenario => ({
  title: "", about: "", kubernetes: "", definitions: [], objects: [], actors: [{ name: "alice", colour: "" }], steps: [],
});

const palette = ["blue", "orange", "green", "purple", "red", "teal", "brown", "pink"];

/** How soon after the last key the scenario is run: about two frames. */
const typingPause = 40;

/** How many changes are shown before one asks for all. */
const firstChanges = 100;

/** How long after a change at the latest the state is kept. It is as well when the page is left. */
const savePause = 500;

export class App {
  state: State = { scenario: emptyScenario(), at: 0 };
  /** The state that the object is compared with: how many steps; null for the step before. */
  against: number | null = null;
  /** How many changes the engine tells of, 0 for all. */
  changes = firstChanges;
  tab: Tab = "happened";
  about: AboutOutput = { versions: [], actions: [] };
  output: RunOutput | null = null;
  readonly engine: Engine;
  #latest = new Latest();
  #asked = 0;
  #answered = 0;
  #actors = new Map<string, Actor & { letter: string }>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #saver: ReturnType<typeof setTimeout> | undefined;
  #views: ((topic: Topic) => void)[] = [];
  #notice: (message: string, action?: { text: string; run(): void }) => void;

  constructor(engine: Engine, notice: App["tell"]) {
    this.engine = engine;
    this.#notice = notice;
    window.addEventListener("pagehide", () => this.#saver !== undefined && this.save());
  }

  /** tell shows a message to the user. */
  tell(message: string, action?: { text: string; run(): void }): void {
    this.#notice(message, action);
  }

  onChange(view: (topic: Topic) => void): void {
    this.#views.push(view);
  }

  #changed(topic: Topic): void {
    this.#actors.clear();
    for (const view of this.#views) view(topic);
  }

  get scenario(): Scenario {
    return this.state.scenario;
  }

  /** Whether what is shown is still that of before the last change. */
  get busy(): boolean {
    return this.#asked !== this.#answered;
  }

  /** The step that is shown, undefined before the first. */
  get step(): Step | undefined {
    return this.scenario.steps[this.state.at - 1];
  }

  /** change changes the state, shows it, and has it run. */
  change(edit: (state: State) => void): void {
    edit(this.state);
    this.#asked++;
    this.changes = firstChanges;
    this.state.at = Math.min(Math.max(this.state.at, 0), this.scenario.steps.length);
    if (this.against !== null && this.against >= this.state.at) this.against = null;
    this.#stale();
    this.save();
    this.#changed("shape");
    void this.#run();
  }

  /** type takes a step's text as it is typed: nothing but the result is drawn anew. */
  type(text: string): void {
    const step = this.step;
    if (!step || step.body === text) return;
    step.body = text;
    this.#stale();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), typingPause);
  }

  /** showAll has all changes told. */
  showAll(): void {
    this.changes = 0;
    void this.#run();
  }

  /** select moves in time. */
  select(at: number): void {
    this.change((state) => (state.at = at));
  }

  /** open shows another scenario; what stood there before can be had back. */
  open(state: State, what: string): void {
    const before = structuredClone(this.state);
    this.state = structuredClone(state);
    this.against = null;
    this.change(() => undefined);
    if (before.scenario.steps.length === 0) return;
    keepBefore(before);
    this.tell(`${what} is open.`, { text: "Back to what was here", run: () => this.open(keptBefore() ?? before, "What was here") });
  }

  /** save keeps the state for when the page is loaded again. */
  save(): void {
    clearTimeout(this.#saver);
    this.#saver = undefined;
    keep(this.state);
  }

  #stale(): void {
    this.#saver ??= setTimeout(() => this.save(), savePause); // not at every key: a large state takes a while
    // A shared link no longer says what is shown.
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  }

  #run(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#latest.run(async () => {
      const at = this.state.at;
      const asked = this.#asked;
      try {
        this.output = await this.engine.ask("run", { scenario: this.scenario, at, against: this.against ?? at - 1, changes: this.changes, object: 0 });
      } catch (error) {
        this.output = null;
        this.tell((error as Error).message);
      }
      this.#answered = asked;
      this.#changed("result");
    });
  }

  /** line asks about a line of the object that is shown. */
  line(line: number): Promise<LineOutput> {
    return this.engine.ask("line", { scenario: this.scenario, at: this.state.at, object: 0, line });
  }

  async link(): Promise<string> {
    return location.href.replace(/#.*/, "") + (await toFragment(this.state));
  }

  /** actor finds or makes up an actor: managers are not all actors of the scenario. */
  actor(name: string): Actor & { letter: string } {
    let actor = this.#actors.get(name);
    if (!actor) this.#actors.set(name, (actor = this.#actor(name)));
    return actor;
  }

  #actor(name: string): Actor & { letter: string } {
    const names = this.names();
    let at = names.indexOf(name);
    if (at < 0) at = names.length;
    const colour = this.scenario.actors.find((a) => a.name === name)?.colour;
    return { name, colour: colour && palette.includes(colour) ? colour : (palette[at % palette.length] ?? "blue"), letter: letters(names.concat(name))[at] ?? "?" };
  }

  /** names lists the actors and then the managers that are none. */
  names(): string[] {
    const names = this.scenario.actors.map((a) => a.name);
    for (const m of this.output?.object?.managers ?? []) if (!names.includes(m.name)) names.push(m.name);
    return names;
  }
}

/** letters gives each name a letter of its own: its first one that is still free. */
function letters(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const own = [...name.toUpperCase()].filter((c) => /[A-Z]/.test(c));
    const letter = [...own, ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].find((c) => !taken.has(c)) ?? "?";
    taken.add(letter);
    return letter;
  });
}

export const colours = palette;

/** what names the actions for people. */
export const actionNames: Record<string, string> = {
  apply: "server-side apply",
  "force-apply": "server-side apply, force",
  "client-side-apply": "client-side apply",
  create: "create",
  update: "update (PUT)",
  "json-patch": "JSON patch",
  "merge-patch": "merge patch",
  "strategic-patch": "strategic merge patch",
  delete: "delete",
};
