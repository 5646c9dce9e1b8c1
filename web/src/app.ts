// The state of the page and the engine's results for it. Views are notified of changes and
// render them.
import { colours } from "./colours";
import type { notice } from "./dialog";
import { Engine, Latest } from "./engine";
import type { AboutOutput, Actor, LineOutput, Reason, RunInput, RunOutput, Scenario, Step } from "./messages";
import { Pause } from "./pause";
import { type Answered, remember } from "./remembered";
import { checked, keep, toFragment } from "./share";
import { copyOf, emptyScenario, History, idOf, same, type State } from "./state";

/**
 * A Topic is what changed: "shape" is the state, "result" the engine's response to it, "why"
 * the reasons for the result, and "stale" means that the result is out of date.
 */
export type Topic = "shape" | "result" | "why" | "stale";

export type Tab = "happened" | "managed" | "patches";

/** An action that a message offers. */
export interface Action {
  text: string;
  run(): void;
}

export const shapes = ["square", "round", "cut", "tag", "leaf"];

/** The delay in milliseconds from a single key press until the scenario is run: about two frames. */
const keyPause = 40;

/**
 * The delays in milliseconds until the scenario is run while the user types: after the last key press,
 * and at most after the first. To draw a result takes longer than to draw a key press, so that a result
 * for each of them would hold up the next.
 */
const typingPause = 180;
const typingLatest = 600;

/** The maximum time in milliseconds between two key presses of a user who types. */
const typingPace = 300;

/** The number of changes that are listed until the user requests all of them. */
export const firstChanges = 60;

/** The delays in milliseconds until the state is saved: after the last change, and at most after the first. It is also saved when the page is left. */
const savePause = 500;
const saveLatest = 3000;

/** The delay in milliseconds after the last change until the reasons are requested, which runs the step again. */
const whyPause = 150;

/** The time in milliseconds after which the page shows that the engine is working. */
const slow = 200;

export interface Look extends Actor {
  letter: string;
  shape: string;
}

export class App {
  state: State = { scenario: emptyScenario(), at: 0, object: 0 };
  /** The number of steps after which the compared state of the object is; null compares with the previous step. */
  against: number | null = null;
  /** The maximum number of changes that the engine lists; 0 lists all. */
  changes = firstChanges;
  tab: Tab = "happened";
  about: AboutOutput = { versions: [], version: "", actions: [] };
  output: RunOutput | null = null;
  /** The reasons for the effects of the step, empty until they are known. */
  reasons: Reason[] = [];
  /** The reason why there is no output. */
  failure = "";
  readonly engine: Engine;
  readonly history = new History();
  /** view shows a part of the page on narrow screens, which show one at a time. */
  view: (name: "story" | "request" | "object" | "result") => void = () => undefined;

  /** offerManifest shows the form for the first manifest that is applied to the live object. */
  offerManifest(): void {
    this.view("result");
    document.querySelector<HTMLElement>("#panel .begun [type=submit]")?.focus();
  }
  /** The fragment of the address if it is not a link that this page can open. It is kept, for a later version of the page. */
  unread = "";
  /** Whether the state is saved in the browser. An embedded page does not save it. */
  keeps = true;
  /** lossy is called once if the browser has no storage for the work of the user. tab is set if a reload of this tab still finds it. */
  lossy: (tab: boolean) => void = () => undefined;
  #lossTold = false;
  #latest = new Latest();
  #asked = 0;
  #answered = 0;
  #looks = new Map<string, Look>();
  /** The time of the last key press. */
  #typed = -Infinity;
  #typing = new Pause(typingLatest, () => void this.#run());
  #unsaved = new Pause(saveLatest, () => this.save());
  #why: ReturnType<typeof setTimeout> | undefined;
  /** The responses that the page shows: that to run, and that to why if it was requested. */
  #answers: Answered[] = [];
  #rememberer: ReturnType<typeof setTimeout> | undefined;
  #slow: ReturnType<typeof setTimeout> | undefined;
  #views: ((topic: Topic) => void)[] = [];
  #notice: typeof notice;
  /** Removes the message that offers to undo the last change. It no longer holds after another change. */
  #withdraw: () => void = () => undefined;

  constructor(engine: Engine, show: typeof notice) {
    this.engine = engine;
    this.#notice = show;
    window.addEventListener("pagehide", () => this.#unsaved.pending && this.save());
  }

  /** tell shows a message to the user. */
  tell(message: string, action?: Action): void {
    const remove = this.#notice(message, action);
    if (action) this.#withdraw = remove;
  }

  /** onChange calls view after each change. It returns a function that ends this. */
  onChange(view: (topic: Topic) => void): () => void {
    this.#views.push(view);
    return () => (this.#views = this.#views.filter((v) => v !== view));
  }

  #changed(topic: Topic): void {
    if (topic === "shape" || topic === "result") this.#looks.clear();
    for (const view of this.#views) view(topic);
  }

  get scenario(): Scenario {
    return this.state.scenario;
  }

  /** busy reports whether the page still shows the result from before the last change. */
  get busy(): boolean {
    return this.#asked !== this.#answered;
  }

  /** step is the selected step, undefined before the first. */
  get step(): Step | undefined {
    return this.scenario.steps[this.state.at - 1];
  }

  /** change edits the state, renders it and runs the scenario. what describes the change for undo; "" excludes it from undo. */
  change(what: string, edit: (state: State) => void): void {
    if (what) this.#record(what);
    edit(this.state);
    this.#show();
  }

  #record(what: string): void {
    this.#withdraw();
    this.#leaveLink();
    this.history.record(what, copyOf(this.state));
  }

  /** changeAndTell is change with a message that offers to undo it, for changes that remove something. */
  changeAndTell(what: string, message: string, edit: (state: State) => void): void {
    this.change(what, edit);
    this.tell(message, { text: "Undo", run: () => this.undo() });
  }

  #show(): void {
    this.changes = firstChanges;
    const { state } = this;
    state.at = Math.min(Math.max(state.at, 0), state.scenario.steps.length);
    if (this.against !== null && this.against >= state.at) this.against = null;
    this.#stale();
    this.save();
    this.#changed("shape");
    void this.#run(true);
  }

  undo(): void {
    this.#withdraw();
    const entry = this.history.undo(this.state);
    if (!entry) return this.tell("Nothing to undo.");
    this.#leaveLink();
    this.state = entry.state;
    this.#show();
    this.tell(`Undone: ${entry.what}.`, { text: "Redo", run: () => this.redo() });
  }

  redo(): void {
    this.#withdraw();
    const entry = this.history.redo(this.state);
    if (!entry) return this.tell("Nothing to redo.");
    this.#leaveLink();
    this.state = entry.state;
    this.#show();
    this.tell(`Redone: ${entry.what}.`, { text: "Undo", run: () => this.undo() });
  }

  /** type sets the text of the selected step while the user types, and renders only the result again. */
  type(text: string, again = false): void {
    const step = this.step;
    if (!step || step.body === text) return;
    this.#withdraw();
    this.#leaveLink();
    if (!again)
      this.history.recordTyping(`typing in step ${this.state.at}`, `type ${idOf(step)}`, () => copyOf(this.state));
    step.body = text;
    this.#stale();
    this.#changed("stale");
    this.#runSoon();
  }

  /** #runSoon runs the scenario after a key press. */
  #runSoon(): void {
    const now = performance.now();
    const types = now - this.#typed < typingPace;
    this.#typed = now;
    this.#typing.changed(types ? typingPause : keyPause);
  }

  /** showAll lists all changes. */
  showAll(): void {
    this.changes = 0;
    void this.#run();
  }

  /** again runs the unchanged scenario again, after an engine that checks more has been loaded. */
  again(): void {
    void this.#run(true);
  }

  /** select shows the state after a step. */
  select(at: number): void {
    this.change("", (state) => (state.at = at));
  }

  /** open shows another scenario; undo restores the previous one. linked is set if it is that of the link in the address. */
  open(state: State, what: string, linked = false): void {
    const empty = this.scenario.steps.length + this.scenario.objects.length === 0;
    const reloaded = linked && same(this.scenario, state.scenario);
    this.#withdraw();
    this.history.record(`opening ${what}`, copyOf(this.state));
    if (!linked) this.#leaveLink();
    this.state = copyOf(state);
    this.against = null;
    this.tab = "happened";
    const { activeElement } = document;
    document.documentElement.dataset.begun = "";
    if (activeElement?.closest("#start")) document.getElementById("page")!.focus(); // the introduction, which is hidden now, had it
    this.#show();
    if (!empty && !reloaded) this.tell(`Opened ${what}.`, { text: "Undo", run: () => this.undo() });
  }

  /** save stores the state in the browser, for the next time that the page is loaded. */
  save(): void {
    this.#unsaved.stop();
    if (!this.keeps) return;
    const place = keep(this.state);
    if (place === "browser" || this.#lossTold || !this.history.undoes) return;
    this.#lossTold = true;
    this.lossy(place === "tab");
  }

  #stale(): void {
    this.#asked++;
    clearTimeout(this.#slow);
    this.#unsaved.changed(savePause);
  }

  /** #leaveLink removes a shared link from the address, because it does not contain the next change. */
  #leaveLink(): void {
    if (location.hash && location.hash !== this.unread)
      history.replaceState(null, "", location.pathname + location.search);
  }

  /** #run runs the scenario. withReasons renders the reasons together with the result, so that the layout does not shift later. */
  #run(withReasons = false): Promise<void> {
    this.#typing.stop();
    clearTimeout(this.#slow);
    this.#slow = setTimeout(() => (document.body.dataset.working = ""), slow);
    return this.#latest.run(async () => {
      const { at, object } = this.state;
      const asked = this.#asked;
      const input: RunInput = {
        scenario: this.scenario,
        at,
        against: this.against ?? at - 1,
        changes: this.changes,
        object,
      };
      try {
        const output = await this.engine.ask("run", input);
        const answers: Answered[] = [{ call: "run", input, output }];
        const reasons = withReasons && this.#asked === asked ? await this.#reasons(asked, at, answers) : [];
        this.#answers = answers; // not before, because the previous ones may be stored meanwhile
        this.output = output;
        this.reasons = reasons;
        this.failure = "";
      } catch (error) {
        this.#answers = [];
        this.output = null;
        this.reasons = [];
        this.failure = (error as Error).message;
      }
      this.#answered = asked;
      if (!this.busy) {
        clearTimeout(this.#slow);
        delete document.body.dataset.working;
        clearTimeout(this.#why);
        if (withReasons) this.#rememberSoon();
        else this.#why = setTimeout(() => void this.#ask(asked, at), whyPause);
      }
      this.#changed("result");
    });
  }

  /** #ask requests the reasons for the selected step after the user has typed. */
  async #ask(asked: number, at: number): Promise<void> {
    const reasons = await this.#reasons(asked, at, this.#answers);
    if (this.#asked !== asked) return;
    this.reasons = reasons;
    this.#rememberSoon();
    this.#changed("why");
  }

  /** #reasons requests the reasons for a step, and adds the response to answers. */
  async #reasons(asked: number, at: number, answers: Answered[]): Promise<Reason[]> {
    if (at === 0 || (this.against ?? at - 1) !== at - 1) return [];
    const input = { scenario: this.scenario, at };
    const output = await this.engine.ask("why", input).catch(() => null);
    if (output && this.#asked === asked) answers.push({ call: "why", input, output });
    return output?.reasons ?? [];
  }

  /** #rememberSoon stores the displayed results for a reload, when the user stops typing. */
  #rememberSoon(): void {
    clearTimeout(this.#rememberer);
    if (!this.keeps || this.#answers.length === 0) return;
    const asked = this.#asked;
    this.#rememberer = setTimeout(() => {
      if (this.#asked !== asked) return;
      const { scenario } = checked(this.state); // the form in which it will be read
      remember(this.#answers.map((a) => ({ ...a, input: { ...a.input, scenario } })));
    }, savePause);
  }

  /** line requests the description of a line of the displayed object. */
  line(line: number): Promise<LineOutput> {
    const { at, object } = this.state;
    return this.engine.ask("line", { scenario: this.scenario, at, object, line });
  }

  async link(state: State = this.state): Promise<string> {
    const page = new URL(location.href);
    for (const name of ["embed", "readonly", "theme"]) page.searchParams.delete(name);
    return page.href.replace(/#.*/, "") + (await toFragment(state));
  }

  /** look returns the letter, shape and colour of a manager, which need not be an actor of the scenario. A slash and a subresource may follow its name. */
  look(owner: string): Look {
    let look = this.#looks.get(owner);
    if (!look) this.#looks.set(owner, (look = this.#look(owner)));
    return look;
  }

  #look(owner: string): Look {
    const names = this.names();
    const name = names.includes(owner) ? owner : owner.replace(/\/[^/]*$/, "");
    let at = names.indexOf(name);
    if (at < 0) at = names.length;
    const colour = this.scenario.actors.find((a) => a.name === name)?.colour;
    return {
      name,
      colour: colour && colours.includes(colour) ? colour : colours[at % colours.length]!,
      letter: letters(names.concat(name))[at] ?? "?",
      shape: shapes[at % shapes.length]!,
    };
  }

  /** names lists the managers of the live objects, then the actors, then the other managers. In this order, the former keep their letters and colours when steps are added. */
  names(): string[] {
    const names = new Set((this.output?.objects ?? []).flatMap((o) => o.managers));
    for (const a of this.scenario.actors) names.add(a.name);
    for (const m of this.output?.object?.managers ?? []) names.add(m.name);
    return [...names];
  }
}

/** letters assigns a unique letter to each name: its first letter that is not taken. */
function letters(names: string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const own = [...name.toUpperCase()].filter((c) => /[A-Z]/.test(c));
    const letter = [...own, ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"].find((c) => !taken.has(c)) ?? "?";
    taken.add(letter);
    return letter;
  });
}

/** The names of the actions in the page. */
export const actionNames: Record<string, string> = {
  apply: "server-side apply",
  "force-apply": "server-side apply (force)",
  "client-side-apply": "client-side apply",
  create: "create",
  update: "update (PUT)",
  "json-patch": "JSON patch",
  "merge-patch": "merge patch",
  "strategic-patch": "strategic merge patch",
  delete: "delete",
};
