// The object in the middle: its lines with their owners, and what has changed.
import type { App } from "./app";
import { chip } from "./chip";
import { h, Keyed, refresh, replace, select } from "./dom";
import type { LineOutput, Manager, Row } from "./messages";

/** From how many lines on those out of sight are not laid out. */
const manyRows = 150;

/** How many owners stand beside a line. */
const mostChips = 5;

const markNames: Record<string, string> = { added: "added", removed: "removed", owners: "other owners" };
const markSigns: Record<string, string> = { added: "+", removed: "−", owners: "~" };

export class ObjectView {
  #app: App;
  #host: HTMLElement;
  #list = h("div", { class: "lines", role: "listbox", tabindex: "0", "aria-label": "Lines of the object" });
  #detail = h("div", { class: "detail", "aria-live": "polite" });
  #heading = h("div", { class: "heading" });
  #since = h("div", { class: "row" });
  #options = "";
  #owners = h("ul", { class: "legend", "aria-label": "Owners" });
  #none = h("p", { class: "empty" });
  #rows: Row[] = [];
  #lines = new Keyed(this.#list);
  #made = 0;
  #current = -1;
  #asked = 0;

  constructor(app: App, host: HTMLElement) {
    this.#app = app;
    this.#host = host;
    this.#list.addEventListener("keydown", (event) => this.#key(event));
    this.#list.addEventListener("focus", () => this.#go(this.#current < 0 ? 0 : this.#current));
    let pointer = "";
    this.#list.addEventListener("pointermove", (event) => {
      const at = `${event.clientX},${event.clientY}`;
      if (at === pointer || event.pointerType !== "mouse") return; // the list was scrolled, by keys
      pointer = at;
      this.#pointed(event);
    });
    this.#list.addEventListener("click", (event) => this.#pointed(event));
    app.onChange((topic) => {
      if (topic === "result") this.#draw();
    });
  }

  /** show goes to a line of the object. */
  show(line: number): void {
    const at = this.#rows.findIndex((r) => r.line === line);
    if (at < 0) return;
    this.#list.focus({ preventScroll: true });
    this.#go(at);
  }

  #pointed(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>(".line");
    if (row) this.#go(this.#lines.elements.indexOf(row), false);
  }

  #draw(): void {
    const { output, state } = this.#app;
    const object = output?.object ?? null;
    const title = object ? `${object.target.kind} ${object.target.name}` : state.at === 0 ? "Nothing yet" : "No object";
    const moved = this.#moved();
    refresh(this.#heading,
      h("h2", { id: "object-title" }, title),
      object ? h("p", { class: "counters" }, "resourceVersion ", h("b", { class: moved.rv ? "moved" : "" }, moved.rv ? `${moved.rv} → ${object.resourceVersion}` : object.resourceVersion),
        object.generation ? " · generation " : "", object.generation ? h("b", { class: moved.gen ? "moved" : "" }, moved.gen ? `${moved.gen} → ${object.generation}` : object.generation) : "") : null,
    );
    this.#compare();
    refresh(this.#owners, ...this.#legend(object?.managers ?? []));
    this.#none.textContent = state.at === 0 ? "No step has been run. Run one with ›, or add a step." : "There is no object after this step.";
    if (!this.#list.isConnected) this.#host.append(this.#heading, this.#since, this.#owners, this.#none, this.#list, this.#detail);
    this.#show(output?.rows ?? [], object?.managers ?? []);
  }

  #show(rows: Row[], managers: Manager[]): void {
    this.#lines.elements[this.#current]?.setAttribute("aria-selected", "false");
    this.#current = -1;
    this.#list.removeAttribute("aria-activedescendant");
    refresh(this.#detail, h("p", { class: "empty" }, "Point at a line, or move to it with the arrow keys, to see who owns it."));
    const order = this.#app.names();
    const owners = rows.map((row) => [...new Set(row.owners.map((n) => managers[n]?.name ?? "?"))].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    const most = String(Math.min(Math.max(3, ...owners.map((o) => o.length)), mostChips));
    this.#list.classList.toggle("long", rows.length > manyRows);
    if (this.#list.dataset.owners !== most) this.#list.dataset.owners = most;
    const actors = new Map(managers.map(({ name }) => [name, this.#app.actor(name)]));
    const looks = rows.map((row, i) => [row.mark, row.below.length > 0, ...owners[i]!.map((o) => `${o} ${actors.get(o)?.letter} ${actors.get(o)?.colour}`), row.text].join("\n"));
    this.#lines.show(looks, (i) => this.#row(rows[i]!, owners[i]!));
    this.#rows = rows;
    this.#list.hidden = this.#detail.hidden = rows.length === 0;
    this.#none.hidden = rows.length > 0;
  }

  /** #moved says from where the counters came in this step. */
  #moved(): { rv: string; gen: string } {
    const { output, state } = this.#app;
    const now = output?.steps[state.at - 1];
    if (!now) return { rv: "", gen: "" };
    const before = output?.steps.slice(0, state.at - 1).findLast((s) => JSON.stringify(s.target) === JSON.stringify(now.target));
    const from = (a: string | undefined, b: string) => (a && a !== b ? a : "");
    return { rv: from(before?.resourceVersion, now.resourceVersion), gen: from(before?.generation, now.generation) };
  }

  #compare(): void {
    const { state, against, scenario } = this.#app;
    this.#since.hidden = state.at === 0;
    const options: [string, string][] = [["", "the step before"]];
    for (let i = 0; i < state.at - 1; i++) options.push([String(i), i === 0 ? "the beginning" : `step ${i} (${scenario.steps[i - 1]?.actor ?? ""})`]);
    const look = JSON.stringify([options, against]);
    if (look === this.#options) return;
    this.#options = look;
    replace(this.#since, select("Show what changed since", "against", options, against === null ? "" : String(against), (value) => {
      this.#app.against = value === "" ? null : Number(value);
      this.#app.change(() => undefined);
    }));
  }

  #legend(managers: Manager[]): HTMLElement[] {
    this.#owners.hidden = managers.length === 0;
    const names = this.#app.names().filter((name) => managers.some((m) => m.name === name));
    return [...names.map((name) => h("li", null, chip(this.#app, name))), h("li", null, h("span", { class: "chip none" }, h("b", { class: "letter", "aria-hidden": "true" }, "·")), " nobody")];
  }

  #row(row: Row, owners: string[]): HTMLElement {
    const who = row.mark === "removed" ? "" : owners.length > 0 ? `owned by ${owners.join(" and ")}` : row.below.length > 0 ? "owned in parts below" : "owned by nobody";
    const aside = [who, markNames[row.mark]].filter(Boolean).join(", ");
    const kind = owners.length > 1 ? " shared" : owners.length === 0 ? " unowned" : "";
    return h("div", { class: `line${row.mark ? ` ${row.mark}` : ""}${kind}`, role: "option", id: `line-${++this.#made}`, "aria-selected": "false" },
      h("span", { class: "owners" }, ...(owners.length > 0 ? this.#chips(owners) : row.mark === "removed" ? [] : [h("span", { class: row.below.length > 0 ? "below" : "nobody", "aria-hidden": "true" }, row.below.length > 0 ? "" : "·")])),
      h("span", { class: "sign", "aria-hidden": "true" }, markSigns[row.mark] ?? ""),
      row.mark === "removed" ? h("code", null, /^ */.exec(row.text)![0], h("s", null, row.text.trimStart())) : h("code", null, row.text || " "),
      h("span", { class: "sr-only" }, `, ${aside}`));
  }

  /** #chips shows the owners of a line, of many only the first ones. */
  #chips(owners: string[]): HTMLElement[] {
    const shown = owners.length > mostChips ? owners.slice(0, mostChips - 1) : owners;
    const chips = shown.map((n) => chip(this.#app, n, true));
    if (shown.length < owners.length) chips.push(h("span", { class: "chip", title: owners.join(", ") }, h("b", { class: "letter", "aria-hidden": "true" }, `+${owners.length - shown.length}`)));
    return chips;
  }

  #key(event: KeyboardEvent): void {
    const page = 15;
    const moves: Record<string, number> = { ArrowDown: this.#current + 1, ArrowUp: this.#current - 1, PageDown: this.#current + page, PageUp: this.#current - page, Home: 0, End: this.#rows.length - 1 };
    const to = moves[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    this.#go(Math.min(Math.max(to, 0), this.#rows.length - 1));
  }

  #go(i: number, scroll = true): void {
    const row = this.#rows[i];
    if (!row || i === this.#current) return;
    this.#lines.elements[this.#current]?.setAttribute("aria-selected", "false");
    this.#current = i;
    const element = this.#lines.elements[i]!;
    element.setAttribute("aria-selected", "true");
    this.#list.setAttribute("aria-activedescendant", element.id);
    if (scroll) element.scrollIntoView({ block: "nearest" });
    void this.#describe(row);
  }

  async #describe(row: Row): Promise<void> {
    const asked = ++this.#asked;
    if (row.mark === "removed") {
      replace(this.#detail, h("p", null, "This line is gone: ", h("code", null, row.text.trim())));
      return;
    }
    let line: LineOutput;
    try {
      line = await this.#app.line(row.line);
    } catch {
      return; // the object has changed meanwhile, and is drawn anew
    }
    if (asked !== this.#asked) return;
    const managers = this.#app.output?.object?.managers ?? [];
    replace(this.#detail,
      h("p", null, h("code", { class: "path" }, line.path || "the whole object"), " · ", line.merges),
      line.owners.length === 0 ? h("p", null, "Nobody owns this field: anyone may set it without a conflict.") : h("ul", { class: "plain" }, ...line.owners.map((o) => {
        const m = managers[o.manager];
        return m ? h("li", null, chip(this.#app, m.name), ` ${m.operation}${m.subresource ? ` of ${m.subresource}` : ""}, ${m.apiVersion}, since step ${o.since}`) : null;
      })));
  }
}
