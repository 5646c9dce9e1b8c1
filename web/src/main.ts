import { App } from "./app";
import { notice } from "./dialog";
import { h } from "./dom";
import { Complete } from "./complete";
import { Engine } from "./engine";
import { openHelp } from "./help";
import { openLessons } from "./lessons";
import { ObjectView } from "./object";
import { openPaste, readFiles } from "./paste";
import { Panels } from "./panels";
import { firstScenario } from "./prepared";
import { watchTabs } from "./presence";
import { printObject } from "./print";
import { Request } from "./request";
import { Rules } from "./rules";
import { fromFragment, kept } from "./share";
import { download, titleOf } from "./sharing";
import { copyOf, emptyScenario, type State } from "./state";
import { announcementOf, Story } from "./story";
import { examples, importText, Toolbar } from "./toolbar";

/** The performance mark that is set when the first result is shown. */
const firstResult = "patchlab first result";

/** size returns how many objects, managers and steps a state has. */
const size = ({ scenario: { objects, actors, steps } }: State): number => objects.length + actors.length + steps.length;

/** The delay in milliseconds after the last change until the title is updated. */
const titlePause = 200;

const element = (id: string): HTMLElement => document.getElementById(id)!;
const root = document.documentElement;

const loading = element("loading");
const progress = element("progress") as HTMLProgressElement;
const working = document.querySelector("#working span")!;
working.textContent = "The engine is still loading. The result appears when it is ready.";
const engine = new Engine({
  progress: (done) => (progress.value = done * 100),
  ready: () => {
    loading.hidden = true;
    working.textContent = "Working…";
    complete.begin();
    offline();
  },
  failed: (message) => loading.replaceChildren(h("p", { class: "bad" }, message)),
  loading: (engine, done) => later[engine].progress(done),
  loaded: (engine) => later[engine].done(),
  unloaded: (engine, message) => later[engine].failed(message),
});
const app = new App(engine, notice);
const complete = new Complete(app, element("unvalidated"));
const rules = new Rules(app);
const later = { complete, rules };
app.keeps = root.dataset.embed === undefined;
const stored = app.keeps ? kept() : null;
// The state comes before the views, so that the editor is created with its text.
app.state =
  stored && size(stored) > 0 ? stored : copyOf({ scenario: firstScenario, at: firstScenario.steps.length, object: 0 });
new Toolbar(app, element("tools"), [{ text: "Lessons", key: "lessons", open: (app) => void openLessons(app) }]);
const object = new ObjectView(app, element("object"));
new Story(app, element("story"), element("bar-steps"));
const view = (name: string) => {
  document.body.dataset.view = name;
  for (const b of document.querySelectorAll<HTMLElement>("#bar-views button"))
    b.setAttribute("aria-pressed", String(b.dataset.view === name));
};
new Panels(
  app,
  rules,
  element("panel"),
  (line) => {
    view("object");
    object.show(line);
  },
  (line, column) => {
    view("request");
    request.goToConflict(line, column);
  },
);
// A change of the editor with the focus forces a layout. The request is rendered last, so that
// this layout includes the changes of the other views.
const request = new Request(app, element("request"), root.dataset.readonly !== undefined);
for (const b of document.querySelectorAll<HTMLElement>("#bar-views button"))
  b.addEventListener("click", () => {
    view(b.dataset.view!);
    // Below the introduction, nothing of the view may be on the screen.
    const page = element("page");
    if (page.getBoundingClientRect().top > window.innerHeight / 2) page.scrollIntoView();
  });
view("request");
app.view = view;
if (app.keeps) watchTabs(app);
app.lossy = (tab) =>
  notice(
    `The browser's storage is full or turned off: your work is lost when ${tab ? "this tab is closed" : "the page is closed or reloaded"}. Download it to keep it.`,
    { text: "Download", run: () => void download(app, "export", "yaml", "application/yaml") },
    true,
  );
printObject(app);

const panes = ["object", "panel", "story"].map(element);
let shownTitle = "";
let titleTimer: ReturnType<typeof setTimeout> | undefined;
let marked = false;

function showTitle(): void {
  const title = titleOf(app);
  if (title === shownTitle) return;
  shownTitle = title;
  document.title = `${title} · patchlab playground`;
  element("embed-title").textContent = title;
}

/** announceResult tells screen readers the result of the selected step, if it differs from the last one. */
function announceResult(): void {
  const { at } = app.state;
  const result = announcementOf(app.output?.steps[at - 1]);
  const text = result && `Step ${at}: ${result}`;
  const announcement = element("announcement");
  if (announcement.textContent !== text) announcement.textContent = text;
}

app.onChange((topic) => {
  const busy = String(app.busy);
  for (const pane of panes) if (pane.ariaBusy !== busy) pane.ariaBusy = busy;
  if (topic !== "result") return;
  document.body.dataset.ready ??= "";
  clearTimeout(titleTimer);
  if (shownTitle === "") showTitle();
  // Changing the title takes a browser longer than rendering a line, and a result that is out of date soon need not be announced.
  titleTimer = setTimeout(() => {
    showTitle();
    announceResult();
  }, titlePause);
  if (!marked) requestAnimationFrame(() => setTimeout(painted));
  marked = true;
});

/** painted is called when the first result has been painted. */
function painted(): void {
  performance.mark(firstResult);
  engine.begin();
}

/** typing reports whether a key press goes to an editor or an input. */
const typing = (event: Event): boolean =>
  event
    .composedPath()
    .some((e) => e instanceof HTMLElement && (e.isContentEditable || e.matches("input, textarea, select")));
const inDialog = () => document.querySelector("dialog[open]") !== null;

/** On a Mac, these keys move the cursor by words. */
const altMovesCursor = /^(Mac|iP)/.test(navigator.platform);

window.addEventListener(
  "keydown",
  (event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { at, scenario } = app.state;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: scenario.steps.length }[event.key];
    if (to === undefined || to < 0 || to > scenario.steps.length || inDialog() || (altMovesCursor && typing(event)))
      return;
    event.preventDefault();
    app.select(to);
  },
  { capture: true },
);

/** pageKey returns the action of a key outside of editors and inputs. */
function pageKey(event: KeyboardEvent): (() => void) | null {
  const mod = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (event.altKey) return null;
  if (mod && key === "z") return () => (event.shiftKey ? app.redo() : app.undo());
  if (mod && key === "y") return () => app.redo();
  return !mod && key === "?" ? () => openHelp(app) : null;
}

window.addEventListener("keydown", (event) => {
  const does = pageKey(event); // first, because typing() is the slowest check
  if (!does || event.defaultPrevented || typing(event) || inDialog()) return;
  event.preventDefault();
  does();
});

window.addEventListener("paste", (event) => {
  if (typing(event) || inDialog() || root.dataset.readonly !== undefined) return;
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (text.trim() === "") return;
  event.preventDefault();
  void importText(app, text);
});

// Prevent the browser from opening files that are dropped elsewhere.
window.addEventListener("dragover", (event) => event.preventDefault());
window.addEventListener("drop", (event) => {
  if (event.defaultPrevented) return;
  event.preventDefault();
  if (inDialog() || root.dataset.readonly !== undefined) return;
  const texts: string[] = [];
  void readFiles(event.dataTransfer?.files, (text) => texts.push(text), app).then(async () => {
    if (texts.length > 0) await importText(app, texts.join("\n---\n"));
  });
});

/** The entries of the start page, by fragment. */
const entries: Record<string, () => Promise<void>> = {
  "#conflict": () => openExample("The first conflict", 2),
  "#reverted": () => openExample("Handing replicas to an autoscaler", 3),
  "#paste": async () => openPaste(app),
  "#help": async () => openHelp(app),
  "#shortcuts": async () => openHelp(app),
};

async function openExample(title: string, at: number): Promise<void> {
  for (const text of await examples()) {
    if (!text.includes(`title: ${title}\n`)) continue;
    const { scenario } = await engine.ask("import", { text });
    app.open({ scenario, at, object: 0 }, `“${title}”`);
  }
}

/** openEntry opens the entry that the fragment of the address names, if there is one. */
function openEntry(): boolean {
  const open = entries[location.hash];
  if (!open) return false;
  history.replaceState(null, "", location.pathname + location.search);
  void open().catch((error: Error) => notice(`The example could not be opened: ${error.message}`));
  return true;
}

/** servedCase returns the fragment for the file that patchlab playground was started with, which is too long for an address. */
async function servedCase(): Promise<string> {
  const response = await fetch("./case.txt");
  if (!response.ok)
    throw new Error(
      "This link refers to a file that patchlab playground was started with, and it is no longer running. Start it again with the same file.",
    );
  return response.text();
}

/** shared decodes the state in the address, if there is one. */
async function shared(): Promise<State | null> {
  const fragment = location.hash;
  app.unread = "";
  try {
    const state = await fromFragment(fragment === "#case" ? await servedCase() : fragment);
    if (!state && !entries[fragment] && fragment.length > 1 && !document.getElementById(fragment.slice(1)))
      throw new Error("The part of the address after # is not a link to a scenario. Your scenario is unchanged.");
    return state;
  } catch (error) {
    app.unread = fragment;
    notice((error as Error).message);
    return null;
  }
}

window.addEventListener(
  "hashchange",
  () => openEntry() || void shared().then((state) => state && app.open(state, "the shared scenario", true)),
);
element("close-start").addEventListener("click", () => {
  root.dataset.begun = "";
  element("page").focus(); // the button had it
});
element("embed-open").addEventListener("click", (event) => {
  event.preventDefault();
  void app.link().then((link) => window.open(link, "_blank", "noopener"));
});

/** The time in milliseconds without a result after which the input is shown. */
const knownPause = 1000;

/** showKnown shows what needs no engine: the steps, the manifest, and the text of the live object. */
function showKnown(): void {
  if (engine.started || app.output) return;
  document.body.dataset.ready = "";
  const { objects } = app.scenario;
  const text = objects[app.state.object] ?? objects.at(-1);
  if (text)
    document
      .querySelector("#object .none-yet")!
      .replaceChildren(
        h(
          "p",
          null,
          "The engine is loading. This is the live object as it was given; its owners and the results of the steps follow.",
        ),
        h("pre", null, text),
      );
}

async function begin(): Promise<void> {
  const fromLink = await shared();
  app.about = await engine.ask("about", {});
  if (fromLink) {
    app.state = stored ?? { scenario: emptyScenario(), at: 0, object: 0 };
    app.open(fromLink, "the shared scenario", true);
    setTimeout(showKnown, knownPause);
    return;
  }
  app.change("", () => undefined);
  setTimeout(showKnown, knownPause);
  openEntry();
}

/** offline registers the service worker when the engine is running, so that caching does not slow down its loading. */
function offline(): void {
  if ("serviceWorker" in navigator && import.meta.env.PROD)
    void navigator.serviceWorker.register("./sw.js").catch(() => undefined);
}

void begin().catch((error: unknown) => notice(error instanceof Error ? error.message : String(error)));
