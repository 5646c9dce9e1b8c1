// What stands beside the object: what happened, conflicts, managedFields, patches.
import type { App, Tab } from "./app";
import { chip } from "./chip";
import { button, h, Keyed, refresh, replace } from "./dom";
import type { Change, Conflict, Node as FieldNode, Row } from "./messages";
import { Patches } from "./patches";

const tabs: [Tab, string][] = [["happened", "What happened"], ["conflicts", "Conflicts"], ["managed", "managedFields"], ["patches", "Four patches"]];

export class Panels {
  #app: App;
  #host: HTMLElement;
  #patches: Patches;
  #body = h("div", { class: "body", role: "tabpanel", id: "panel-body", tabindex: "0", "aria-labelledby": "panel-title" });
  #showLine: (line: number) => void;
  #preview = 0;
  #seenConflicts = "";
  #tabs = "";
  #tree = false;
  #verdict = h("div", { class: "stacked" });
  #changes = new Keyed(h("ul", { class: "changes" }));
  #more = h("div", { class: "row" });

  constructor(app: App, host: HTMLElement, showLine: (line: number) => void) {
    this.#app = app;
    this.#host = host;
    this.#showLine = showLine;
    this.#patches = new Patches(app);
    app.onChange((topic) => {
      if (topic === "result") this.#draw();
    });
  }

  #draw(): void {
    const { output, state } = this.#app;
    const count = output?.conflicts.length ?? 0;
    const key = count > 0 ? `${state.at}:${count}` : "";
    if (key && key !== this.#seenConflicts && this.#app.tab === "happened") this.#app.tab = "conflicts"; // it asks for a decision
    if (!key && this.#app.tab === "conflicts" && this.#seenConflicts) this.#app.tab = "happened";
    this.#seenConflicts = key;
    document.body.classList.toggle("wide-panel", this.#app.tab === "patches");
    const look = `${this.#app.tab} ${count}`;
    if (look !== this.#tabs || !this.#body.isConnected) {
      this.#tabs = look;
      replace(this.#host,
        h("h2", { id: "panel-title", class: "sr-only" }, "About the step"),
        h("div", { class: "tabs", role: "tablist", "aria-label": "About the step", keydown: (event: KeyboardEvent) => this.#arrow(event) },
          ...tabs.map(([tab, name]) => button(tab === "conflicts" && count > 0 ? `${name} (${count})` : name, `tab-${tab}`, () => this.#open(tab), {
            role: "tab", "aria-selected": String(tab === this.#app.tab), "aria-controls": "panel-body", tabindex: tab === this.#app.tab ? "0" : "-1", class: count > 0 && tab === "conflicts" ? "alert" : "",
          }))),
        this.#body,
      );
    }
    this.#fill();
  }

  #open(tab: Tab): void {
    this.#app.tab = tab;
    this.#draw();
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
    const { tab } = this.#app;
    if (tab === "happened") this.#happened();
    else if (tab === "conflicts") replace(this.#body, ...this.#conflicts());
    else if (tab === "managed") void this.#managed();
    else replace(this.#body, this.#patches.draw());
  }

  #happened(): void {
    const { output, state, step } = this.#app;
    const result = output?.steps[state.at - 1];
    if (!result || !step) {
      replace(this.#body, h("p", { class: "empty" }, "Run a step to see what it does."));
      return;
    }
    const { changes, changed, against } = output!;
    const since = against === state.at - 1 ? "" : against === 0 ? " since the beginning" : ` since step ${against}`;
    refresh(this.#verdict,
      h("p", { class: `verdict ${result.ok ? "good" : "bad"}` }, result.ok ? `✓ The API server answers ${result.code}.` : result.code === 0 ? "✗ No request can be made of this step." : `✗ The API server answers ${result.code}.`),
      result.message ? h("p", { class: "message" }, result.message) : null,
      ...result.warnings.map((w) => h("p", { class: "warning" }, "Warning: ", w)),
      changes.length === 0 ? h("p", { class: "empty" }, `Nothing has changed${since}: no field, no owner.`) : h("p", null, `${changed === 1 ? "1 field has" : `${changed} fields have`} changed${since}:`),
    );
    const look = (name: string) => `${name} ${this.#app.actor(name.split("/")[0] ?? name).colour} ${this.#app.actor(name.split("/")[0] ?? name).letter}`;
    this.#changes.parent.classList.toggle("long", changes.length > 30);
    this.#changes.show(changes.map((c) => [c.path, c.effect, c.before, c.after, c.line > 0, ...c.ownersBefore.map(look), "", ...c.ownersAfter.map(look), "", ...c.reasons].join("\n")), (i) => this.#change(changes[i]!));
    const left = changed - changes.length;
    if (left > 0 || this.#more.hasChildNodes()) replace(this.#more, left > 0 ? button(`Show the other ${left}`, "more-changes", () => this.#app.showAll()) : null);
    if (!this.#verdict.isConnected) replace(this.#body, this.#verdict, this.#changes.parent, this.#more);
  }

  #change(c: Change): HTMLElement {
    const owners = (names: string[]) => (names.length > 0 ? names.flatMap((n) => [chip(this.#app, n), " "]) : [h("span", { class: "empty" }, "nobody"), " "]);
    const sameOwners = c.ownersBefore.join("\n") === c.ownersAfter.join("\n");
    const show = () => this.#showLine(this.#app.output?.changes.find((now) => now.path === c.path)?.line ?? 0);
    const path = c.line > 0 ? button(c.path, `change-${c.path}`, show, { class: "path", title: "Show the line" }) : h("code", { class: "path" }, c.path);
    return h("li", { "data-effect": c.effect },
      h("span", { class: "effect" }, c.effect), path,
      c.before !== c.after ? h("div", { class: "values" }, c.before ? h("del", null, c.before) : null, c.before && c.after ? " → " : null, c.after ? h("ins", null, c.after) : null) : null,
      h("div", { class: "hands" }, ...(sameOwners ? owners(c.ownersAfter) : [...owners(c.ownersBefore), h("span", { "aria-label": "then" }, "→"), " ", ...owners(c.ownersAfter)])),
      c.reasons.length > 0 ? h("ul", { class: "reasons" }, ...c.reasons.map((r) => h("li", null, r))) : null,
    );
  }

  #conflicts(): (HTMLElement | null)[] {
    const list = this.#app.output?.conflicts ?? [];
    if (list.length === 0) return [h("p", { class: "empty" }, "This step has no conflicts. A server-side apply conflicts where it would change a field that another manager owns.")];
    const preview = h("div", { class: "preview", "aria-live": "polite" });
    return [
      h("p", null, "The apply would change what others own. There are three ways out; point at one to see what it does."),
      ...list.map((c, i) => this.#conflict(c, i, preview)),
      list.length > 1 ? h("div", { class: "conflict" }, h("p", null, h("b", null, "All conflicts together")), this.#ways(["force", "drop", ...(list.every((c) => c.ways.some((w) => w.name === "adopt")) ? ["adopt"] : [])], -1, preview)) : null,
      preview,
    ];
  }

  #conflict(c: Conflict, i: number, preview: HTMLElement): HTMLElement {
    return h("div", { class: "conflict" },
      h("p", null, h("code", { class: "path" }, c.path)),
      h("dl", null,
        h("dt", null, chip(this.#app, c.manager), " has"), h("dd", null, h("code", null, c.live || "(nothing)")),
        h("dt", null, chip(this.#app, this.#app.step?.actor ?? ""), " wants"), h("dd", null, h("code", null, c.wanted || "(nothing)")),
      ),
      this.#ways(c.ways.map((w) => w.name), i, preview),
    );
  }

  #ways(names: string[], conflict: number, preview: HTMLElement): HTMLElement {
    const texts: Record<string, string> = { force: "Take it over", drop: "Leave it to them", adopt: "Share their value" };
    return h("div", { class: "row tight" }, ...names.map((way) => {
      const look = () => void this.#look(conflict, way, preview);
      return button(texts[way] ?? way, `way-${conflict}-${way}`, () => void this.#take(conflict, way), { pointerenter: look, focus: look });
    }));
  }

  async #look(conflict: number, way: string, preview: HTMLElement): Promise<void> {
    const asked = ++this.#preview;
    const { scenario, state } = this.#app;
    const out = await this.#app.engine.ask("way", { scenario, at: state.at, conflict, way }).catch(() => null);
    if (!out || asked !== this.#preview) return;
    const changed = out.rows.filter((r) => r.mark !== "");
    replace(preview,
      h("h3", null, "Preview"),
      h("p", { class: out.result.ok ? "good" : "bad" }, out.result.ok ? `✓ ${out.result.code}` : `✗ ${out.result.code} ${out.result.message}`),
      out.step.do !== this.#app.step?.do ? h("p", null, "The step becomes a server-side apply with force; the manifest stays.") : null,
      out.step.body !== this.#app.step?.body ? h("details", { open: true }, h("summary", null, "The manifest becomes"), h("pre", { tabindex: "0" }, out.step.body)) : null,
      h("p", null, changed.length === 0 ? "The object stays as it is." : "The object then:"),
      changed.length === 0 ? null : diff(changed),
    );
  }

  async #take(conflict: number, way: string): Promise<void> {
    const { scenario, state } = this.#app;
    const at = state.at;
    try {
      const out = await this.#app.engine.ask("way", { scenario, at, conflict, way });
      this.#app.change((s) => s.scenario.steps.splice(at - 1, 1, out.step));
    } catch (error) {
      this.#app.tell((error as Error).message);
    }
  }

  async #managed(): Promise<void> {
    const { scenario, state, output } = this.#app;
    if (!output?.object) {
      replace(this.#body, h("p", { class: "empty" }, "There is no object."));
      return;
    }
    const out = await this.#app.engine.ask("managed", { scenario, at: state.at, object: 0 }).catch(() => null);
    if (!out || this.#app.tab !== "managed") return;
    const switchTo = (tree: boolean) => () => {
      this.#tree = tree;
      this.#fill();
    };
    replace(this.#body,
      h("div", { class: "row tight", role: "group", "aria-label": "Show managedFields as" },
        button("Raw", "managed-raw", switchTo(false), { "aria-pressed": String(!this.#tree) }), button("Tree", "managed-tree", switchTo(true), { "aria-pressed": String(this.#tree) })),
      this.#tree
        ? h("div", { class: "trees" }, ...out.trees.map((t, i) => {
            const m = output.object!.managers[i]!;
            return h("details", { open: true }, h("summary", null, chip(this.#app, m.name), ` ${m.operation}${m.subresource ? ` of ${m.subresource}` : ""}, ${m.apiVersion} ${m.time}`), nodes(t.fields));
          }))
        : h("pre", { tabindex: "0", "aria-label": "managedFields" }, out.yaml || "(none)"),
    );
  }
}

function nodes(list: FieldNode[]): HTMLElement {
  return h("ul", { class: "fields" }, ...list.map((n) => h("li", null,
    h("code", { class: n.owned ? "owned" : "" }, n.label), n.owned ? null : h("span", { class: "sr-only" }, " (only below)"), n.fields.length > 0 ? nodes(n.fields) : null)));
}

/** diff shows changed lines. */
export function diff(rows: Row[]): HTMLElement {
  const sign: Record<string, string> = { added: "+ ", removed: "− ", owners: "~ " };
  return h("pre", { class: "diff", tabindex: "0", "aria-label": "Changed lines" }, ...rows.map((r) => h("span", { class: r.mark }, (sign[r.mark] ?? "  ") + r.text + "\n")));
}
