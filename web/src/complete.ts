// The complete engine: when it is loaded, and the notice that is shown until then.
import budget from "../budget.json";
import type { App } from "./app";
import { button, h, replace } from "./dom";
import type { LaterEngine } from "./worker";

/** The Network Information API, which not all browsers support. */
interface Network {
  saveData?: boolean;
  effectiveType?: string;
}

/** sparing reports whether the page should not load megabytes without a request by the user. */
function sparing(): boolean {
  const network = (navigator as { connection?: Network }).connection;
  return network?.saveData === true || ["slow-2g", "2g", "3g"].includes(network?.effectiveType ?? "");
}

const size = `${(budget.completeBrotliBytes / 1e6).toFixed(1)} MB`;

/** whenIdle runs a task when the browser is idle. */
const whenIdle = (task: () => void): unknown =>
  "requestIdleCallback" in window ? requestIdleCallback(task, { timeout: 3000 }) : setTimeout(task, 300);

/** keepOffline tells the service worker to cache an engine that was loaded later. */
export function keepOffline(engine: LaterEngine): void {
  void navigator.serviceWorker?.ready.then((worker) => worker.active?.postMessage(engine));
}

export class Complete {
  #app: App;
  #host: HTMLElement;
  #bar = h("progress", { max: "100", value: "0", "aria-label": "Loading the validation" });
  #state: "waiting" | "loading" | "failed" = "waiting";
  #why = "";

  constructor(app: App, host: HTMLElement) {
    this.#app = app;
    this.#host = host;
    app.onChange((topic) => topic === "result" && this.#draw());
  }

  /** begin loads the complete engine after the first result, unless the network is slow or data saving is on. */
  begin(): void {
    if (sparing()) return this.#draw();
    whenIdle(() => this.#load());
  }

  #load(): void {
    this.#app.engine.load("complete").catch(() => undefined); // the watcher calls failed
  }

  progress(done: number): void {
    this.#bar.value = done * 100;
    if (this.#state === "loading") return;
    this.#state = "loading";
    this.#draw();
  }

  /** done runs the scenario again if its result was not validated. */
  done(): void {
    if (this.#app.output?.unvalidated) this.#app.again();
    keepOffline("complete");
  }

  failed(why: string): void {
    this.#state = "failed";
    this.#why = why;
    this.#draw();
  }

  /** #draw shows a notice if the result was not validated. The notice does not shift the layout. */
  #draw(): void {
    this.#host.hidden = !this.#app.output?.unvalidated;
    if (this.#host.hidden) return;
    const text = h(
      "span",
      null,
      this.#state === "failed"
        ? `The validation of built-in kinds could not be loaded: ${this.#why}.`
        : "The values of built-in kinds are not validated yet.",
    );
    replace(
      this.#host,
      text,
      this.#state === "loading" ? this.#bar : button(`Load the validation (${size})`, "validate", () => this.#load()),
    );
  }
}
