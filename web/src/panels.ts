// The panel beside the object: the result of the step, managedFields, and the four patches.
import type { App, Tab } from "./app";
import { button, h, replace } from "./dom";
import { Managed } from "./managed";
import { Patches } from "./patches";
import { Result } from "./result";
import type { Rules } from "./rules";
import { Start } from "./start";

const tabs: [Tab, string][] = [
  ["happened", "Result"],
  ["managed", "managedFields"],
  ["patches", "Compare patches"],
];

export class Panels {
  #app: App;
  #host: HTMLElement;
  #start: Start;
  #result: Result;
  #managed: Managed;
  #patches: Patches;
  #body = h("div", {
    class: "body",
    role: "tabpanel",
    id: "panel-body",
    tabindex: "0",
    "aria-labelledby": "panel-title",
  });
  #tabs = "";

  constructor(
    app: App,
    rules: Rules,
    host: HTMLElement,
    showLine: (line: number) => void,
    goToConflict: (line: number, column: number) => void,
  ) {
    this.#app = app;
    this.#host = host;
    this.#start = new Start(app);
    this.#result = new Result(app, rules, showLine, goToConflict);
    this.#managed = new Managed(app);
    this.#patches = new Patches(app);
    app.onChange((topic) => {
      if (topic === "result" || (topic === "why" && app.tab === "happened")) this.draw();
    });
  }

  draw(): void {
    document.body.classList.toggle("wide-panel", this.#app.tab === "patches");
    const look = this.#app.tab;
    if (look !== this.#tabs || !this.#body.isConnected) {
      this.#tabs = look;
      replace(
        this.#host,
        h("h2", { id: "panel-title", class: "sr-only" }, "Result of the step"),
        h(
          "div",
          {
            class: "pane-head tabs",
            role: "tablist",
            "aria-label": "Result of the step",
            keydown: (event: KeyboardEvent) => this.#arrow(event),
          },
          ...tabs.map(([tab, name]) =>
            button(name, `tab-${tab}`, () => this.#open(tab), {
              role: "tab",
              "aria-selected": String(tab === this.#app.tab),
              "aria-controls": "panel-body",
              tabindex: tab === this.#app.tab ? "0" : "-1",
            }),
          ),
        ),
        this.#body,
      );
    }
    this.#fill();
  }

  #open(tab: Tab): void {
    this.#app.tab = tab;
    this.draw();
  }

  #arrow(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by || event.altKey) return;
    event.preventDefault();
    const at = tabs.findIndex(([tab]) => tab === this.#app.tab);
    this.#open(tabs[(at + by + tabs.length) % tabs.length]![0]);
    this.#host.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
  }

  #fill(): void {
    const { tab, state, output, failure } = this.#app;
    if (failure) replace(this.#body, h("p", { class: "verdict bad" }, "✗ No result"), h("p", null, failure));
    else if (tab === "managed") void this.#managed.draw(this.#body);
    else if (tab === "patches") replace(this.#body, this.#patches.draw());
    else if (state.at === 0 && output?.object) void this.#start.draw(this.#body);
    else this.#result.draw(this.#body);
  }
}
