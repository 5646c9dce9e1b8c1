// The CEL rules of custom resources. A separate engine evaluates them, which is loaded on
// request because it is large.
import budget from "../budget.json";
import type { App } from "./app";
import { keepOffline } from "./complete";
import { button, h } from "./dom";

const size = `${(budget.rulesBrotliBytes / 1e6).toFixed(1)} MB`;

const count = (n: number, one: string, many: string): string => (n === 1 ? `1 ${one} was` : `${n} ${many} were`);

export class Rules {
  #app: App;
  #loading = false;
  #why = "";

  constructor(app: App) {
    this.#app = app;
  }

  #load(): void {
    this.#loading = true;
    this.#why = "";
    this.#app.again(); // to show that it is loading
    this.#app.engine.load("rules").catch(() => undefined); // the watcher calls failed
  }

  progress(done: number): void {
    const bar = document.getElementById("rules-progress") as HTMLProgressElement | null;
    if (bar) bar.value = done * 100;
  }

  /** done runs the scenario again with its rules. */
  done(): void {
    this.#loading = false;
    keepOffline("rules");
    this.#app.again();
  }

  failed(why: string): void {
    this.#loading = false;
    this.#why = why;
    this.#app.again();
  }

  /** notices returns the numbers of rules and policies that were not evaluated, and how to evaluate them. */
  notices(): (HTMLElement | null)[] {
    const { rulesNotRun, policiesNotRun } = this.#app.output!;
    const does = this.#loading
      ? h("progress", { id: "rules-progress", max: "100", "aria-label": "Loading the evaluation of CEL rules" })
      : button(`Evaluate (loads ${size})`, "rules", () => this.#load());
    return [
      rulesNotRun > 0
        ? h(
            "p",
            { class: "warning" },
            `${count(rulesNotRun, "CEL rule", "CEL rules")} not evaluated. `,
            does,
            this.#why ? ` It could not be loaded: ${this.#why}.` : null,
          )
        : null,
      policiesNotRun > 0
        ? h(
            "p",
            { class: "warning" },
            `${count(policiesNotRun, "admission policy", "admission policies")} not evaluated. Export the scenario and run it with “patchlab-admission run”.`,
          )
        : null,
    ];
  }
}
