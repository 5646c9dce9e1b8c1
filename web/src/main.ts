import { App } from "./app";
import { button, h } from "./dom";
import { Engine } from "./engine";
import { ObjectView } from "./object";
import { Panels } from "./panels";
import { fromFragment, kept, type State } from "./share";
import { Timeline } from "./timeline";
import { examples, importScenario, Toolbar } from "./toolbar";

/** The mark, of the browser's own clock, at which a first result is shown. */
const firstResult = "patchlab first result";

const element = (id: string): HTMLElement => document.getElementById(id)!;

function notice(message: string, action?: { text: string; run(): void }): void {
  const host = element("notices");
  const box = h("div", { class: "notice" }, h("span", null, message));
  const gone = () => box.remove();
  if (action) box.append(button(action.text, "notice-action", () => {
    gone();
    action.run();
  }));
  box.append(button("✕", "notice-close", gone, { "aria-label": "Close this message" }));
  host.replaceChildren(box);
  setTimeout(gone, action ? 20_000 : 10_000);
}

const loading = element("loading");
const progress = element("progress") as HTMLProgressElement;
const engine = new Engine({
  progress: (done) => (progress.value = done * 100),
  ready: () => (loading.hidden = true),
  failed: (message) => loading.replaceChildren(h("p", { class: "bad" }, `The engine could not be started: ${message}. Load the page again to try once more.`)),
});
const app = new App(engine, notice);
new Toolbar(app, element("toolbar"));
new Timeline(app, element("timeline"));
const object = new ObjectView(app, element("object"));
new Panels(app, element("panel"), (line) => object.show(line));
app.onChange(() => {
  for (const id of ["object", "panel"]) element(id).setAttribute("aria-busy", String(app.busy));
});
app.onChange((topic) => {
  if (topic !== "result" || performance.getEntriesByName(firstResult).length > 0) return;
  requestAnimationFrame(() => setTimeout(() => performance.mark(firstResult))); // when it is to be seen
});

window.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const { at, scenario } = app.state;
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: scenario.steps.length }[event.key];
  if (to === undefined || to < 0 || to > scenario.steps.length) return;
  event.preventDefault();
  app.select(to);
}, { capture: true });

// A file that is dropped anywhere else is a scenario; the page must not be left for it.
window.addEventListener("dragover", (event) => event.preventDefault());
window.addEventListener("drop", (event) => {
  if (event.defaultPrevented) return;
  event.preventDefault();
  const file = event.dataTransfer?.files[0];
  if (file) void file.text().then((text) => importScenario(app, text));
});

/** shared opens the state of the address, if it has one. */
async function shared(): Promise<State | null> {
  try {
    return await fromFragment(location.hash);
  } catch (error) {
    notice((error as Error).message);
    return null;
  }
}

window.addEventListener("hashchange", () => void shared().then((state) => state && app.open(state, "The shared state")));

async function begin(): Promise<void> {
  const fromLink = await shared();
  const stored = kept();
  app.about = await engine.ask("about", {});
  if (fromLink) {
    if (stored) app.state = stored;
    app.open(fromLink, "The shared state");
    return;
  }
  const first = stored && stored.scenario.steps.length + stored.scenario.actors.length > 0 ? stored : null;
  if (first) app.state = first;
  else {
    const { scenario } = await engine.ask("import", { text: (await examples())[0]! });
    app.state = { scenario, at: scenario.steps.length };
  }
  app.change(() => undefined);
}

void begin().catch((error: unknown) => notice(String(error)));

// Offline once loaded. A page that is not served (a file) has no service worker.
if ("serviceWorker" in navigator && import.meta.env.PROD) {
  window.addEventListener("load", () => void navigator.serviceWorker.register("./sw.js").catch(() => undefined));
}
