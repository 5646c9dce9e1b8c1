// The object view: its lines with their owners, the changes of the step, and a description of
// the selected field.
import { type App, actionNames } from "./app";
import { chip } from "./chip";
import { button, h, refresh, replace, select } from "./dom";
import { Latest } from "./engine";
import type { ListingLine } from "./lines";
import { Listing } from "./listing";
import type { LineOutput, Manager, Row, RunOutput, StepResult } from "./messages";
import { setting } from "./share";

const meanings: Record<string, string> = {
  identity: "identity",
  server: "set by the API server",
  status: "status",
  immutable: "immutable",
  default: "default",
  owned: "owned",
  shared: "shared",
  members: "has owned fields",
  nobody: "no owner",
};

export class ObjectView {
  #app: App;
  #listing: Listing;
  #detail = h("div", { class: "detail", "aria-live": "polite" });
  #heading = h("div", { class: "pane-head" });
  #tools = h("div", { class: "object-tools" });
  #none = h("div", { class: "empty none-yet" });
  #rows: Row[] = [];
  #shown: ListingLine[] = [];
  /** The rendered lines by row, and their owners by manager numbers, which are reused. */
  #lines = new WeakMap<Row, ListingLine>();
  #owners = new Map<string, ListingLine["owners"]>();
  #ownersLook = "";
  #hideNoise = setting("noise") === "hidden";
  #only = "";
  #seen = "";
  #latest = new Latest();
  #current: ListingLine | null = null;
  #pointed: ListingLine | null = null;

  constructor(app: App, host: HTMLElement) {
    this.#app = app;
    this.#listing = new Listing({
      moved: (line) => {
        this.#current = line;
        this.#pointed = null;
        this.#describe(line);
      },
      pointed: (line) => {
        if (line === this.#pointed) return;
        this.#pointed = line;
        this.#describe(line ?? this.#current);
      },
    });
    this.#listing.host.hidden = this.#detail.hidden = true;
    host.replaceChildren(this.#heading, this.#tools, this.#none, this.#listing.host, this.#detail);
    app.onChange((topic) => topic === "result" && this.#draw());
  }

  /** show goes to a line of the object. */
  show(line: number): void {
    if (!this.#shown.some((l) => l.line === line)) {
      this.#hideNoise = false;
      this.#only = "";
      this.#list();
    }
    const at = this.#shown.findIndex((l) => l.line === line);
    if (at >= 0) this.#listing.reveal(at + 1, true);
  }

  #draw(): void {
    const { output, state, scenario, failure } = this.#app;
    const object = output?.object ?? null;
    const { name, kind } = object?.target ?? { name: "", kind: "" };
    this.#rows = rowsOf(output);
    if (this.#only && !object?.managers.some((m) => m.name === this.#only)) this.#only = "";
    this.#list(); // first, because CodeMirror forces a layout of all earlier changes
    this.#drawHeading();
    refresh(
      this.#none,
      failure ||
        (state.at === 0
          ? scenario.steps.length === 0
            ? "Paste an object or add a step to begin."
            : "No step has been run. Run one with ›, or add a step."
          : "There is no object after this step."),
    );
    this.#listing.host.hidden = this.#detail.hidden = this.#rows.length === 0;
    this.#none.hidden = this.#rows.length > 0;
    const seen = `${state.at} ${state.object} ${kind} ${name}`;
    if (this.#seen === "")
      requestAnimationFrame(() => this.#scroll()); // not here, because it forces a layout of the whole page
    else if (seen !== this.#seen) this.#scroll();
    this.#seen = seen;
  }

  #drawHeading(): void {
    const { output, state } = this.#app;
    const object = output?.object;
    const moved = this.#moved();
    const result = output?.steps[state.at - 1];
    const gone =
      output && result && !object && (this.#rows.length > 0 || deleted(output, result)) ? result.target : null;
    const counter = (label: string, from: string, now: string) =>
      h("span", null, `${label} `, h("b", { class: from ? "moved" : "" }, from ? `${from} → ${now}` : now));
    refresh(
      this.#heading,
      h(
        "h2",
        { id: "object-title" },
        object
          ? `${object.target.kind} ${object.target.name}`
          : gone
            ? `${gone.kind} ${gone.name} (deleted)`
            : state.at === 0
              ? "No object yet"
              : "No object",
      ),
      object
        ? h(
            "p",
            { class: "counters" },
            object.target.namespace ? h("span", null, "namespace ", h("b", null, object.target.namespace)) : null,
            counter("resourceVersion", moved.rv, object.resourceVersion),
            object.generation ? counter("generation", moved.gen, object.generation) : null,
          )
        : null,
    );
  }

  /** #scroll scrolls to the first conflicting line, or to the first that the step changed. */
  #scroll(): void {
    const first =
      this.#shown.findIndex((l) => l.wanted) + 1 ||
      this.#shown.findIndex((l) => l.mark !== "" && l.meaning !== "server") + 1;
    this.#current = null;
    const whole = this.#shown.every((l) => l.mark === "added");
    if (first > 0 && !whole && !this.#listing.onScreen(first)) this.#listing.reveal(first, false);
    else if (whole) this.#listing.reveal(1, false);
  }

  #list(): void {
    const managers = this.#app.output?.object?.managers ?? [];
    const wanted = new Map(
      (this.#app.output?.conflicts ?? []).map((c) => [
        c.line,
        `⚡ ${shortened(this.#app.step?.actor || "the step")} wants ${c.wanted || "to remove it"}`,
      ]),
    );
    const owned = this.#owned(managers);
    const shown: ListingLine[] = [];
    for (const row of this.#rows) {
      if (this.#hideNoise && row.meaning === "server") continue;
      if (this.#only && ![...row.owners, ...row.below].some((n) => managers[n]?.name === this.#only)) continue;
      shown.push(this.#line(row, owned(row.owners), (row.line && wanted.get(row.line)) || ""));
    }
    this.#shown = shown;
    this.#listing.show(this.#shown);
    this.#drawTools(managers);
    const pointed = this.#pointed;
    this.#pointed = (pointed && shown.find((line) => line.line === pointed.line && line.text === pointed.text)) ?? null;
    const described = this.#pointed ?? this.#current;
    if (described) this.#describe(described);
    else
      refresh(
        this.#detail,
        h("p", { class: "empty" }, "Select a line to see who owns its field, and why."),
        // On a narrow screen, the result with the form is another view.
        this.#app.scenario.objects.length > 0 && this.#app.scenario.steps.length === 0
          ? h(
              "div",
              { class: "row edit narrow" },
              button("Apply a manifest", "object-to-result", () => this.#app.offerManifest()),
            )
          : null,
      );
  }

  /** #line returns the line of a row, and the previous line object if it is unchanged. */
  #line(row: Row, owners: ListingLine["owners"], wanted: string): ListingLine {
    const before = this.#lines.get(row);
    if (before && before.owners === owners && before.wanted === wanted) return before;
    const meaning = row.below.length > 0 && row.owners.length === 0 ? "below" : row.meaning;
    const line = { text: row.text, line: row.line, mark: row.mark, owners, meaning, wanted };
    this.#lines.set(row, line);
    return line;
  }

  /** #owned returns a function from manager numbers to owners. Equal numbers yield the same list, also across renderings. */
  #owned(managers: Manager[]): (numbers: number[]) => ListingLine["owners"] {
    const order = this.#app.names();
    const look = JSON.stringify([managers, order.map((name) => this.#app.look(name))]);
    if (look !== this.#ownersLook) this.#owners.clear();
    this.#ownersLook = look;
    const known = this.#owners;
    return (numbers) => {
      const key = numbers.join();
      let owners = known.get(key);
      if (!owners) {
        const seen = new Map<string, string[]>();
        for (const n of numbers) {
          const m = managers[n];
          if (m) seen.set(m.name, [...(seen.get(m.name) ?? []), entryText(m)]);
        }
        owners = [...seen]
          .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
          .map(([name, how]) => {
            const { letter, shape, colour } = this.#app.look(name);
            return { name, letter, shape, colour, label: `${name}: ${how.join(", ")}` };
          });
        known.set(key, owners);
      }
      return owners;
    };
  }

  /** #moved returns the previous resourceVersion and generation if the step changed them. */
  #moved(): { rv: string; gen: string } {
    const { output, state } = this.#app;
    const now = output?.steps[state.at - 1];
    if (!now) return { rv: "", gen: "" };
    const target = JSON.stringify(now.target);
    const before = output?.steps.slice(0, state.at - 1).findLast((s) => JSON.stringify(s.target) === target);
    const from = (a: string | undefined, b: string) => (a && a !== b ? a : "");
    return { rv: from(before?.resourceVersion, now.resourceVersion), gen: from(before?.generation, now.generation) };
  }

  #drawTools(managers: Manager[]): void {
    const { state, against, scenario } = this.#app;
    this.#tools.hidden = this.#rows.length === 0 && against === null; // with a compared state, another one can be selected
    if (this.#tools.hidden) return;
    const options: [string, string][] = [["", "the step before"]];
    for (let i = 0; i < state.at - 1; i++)
      options.push([String(i), i === 0 ? "the beginning" : `step ${i} (${scenario.steps[i]?.actor ?? ""})`]);
    const names = this.#app.names().filter((name) => managers.some((m) => m.name === name));
    const look = JSON.stringify([
      options,
      against,
      names.map((n) => this.#app.look(n)),
      this.#only,
      this.#hideNoise,
      managers.length,
    ]);
    if (this.#tools.dataset.look === look) return;
    this.#tools.dataset.look = look;
    const only = (name: string) => () => {
      this.#only = this.#only === name ? "" : name;
      this.#list();
    };
    replace(
      this.#tools,
      h(
        "ul",
        { class: "legend", "aria-label": "Owners: select one to show only its fields" },
        ...names.map((name) =>
          h(
            "li",
            null,
            h(
              "button",
              {
                type: "button",
                class: "owner",
                "data-key": `only-${name}`,
                "aria-pressed": String(this.#only === name),
                title: `Show only the fields of ${name}`,
                click: only(name),
              },
              chip(this.#app, name),
            ),
          ),
        ),
        names.length === 0 ? h("li", { class: "empty" }, "no owners") : null,
      ),
      h(
        "div",
        { class: "row tight end" },
        button(
          this.#hideNoise ? "Show server fields" : "Hide server fields",
          "noise",
          () => {
            this.#hideNoise = !this.#hideNoise;
            setting("noise", this.#hideNoise ? "hidden" : "shown");
            this.#list();
          },
          { class: "quiet", title: "resourceVersion, generation, uid and creationTimestamp" },
        ),
        state.at > 1
          ? select("Changes since", "against", options, against === null ? "" : String(against), (value) => {
              this.#app.against = value === "" ? null : Number(value);
              this.#app.change("", () => undefined);
            })
          : null,
      ),
    );
  }

  #describe(line: ListingLine | null): void {
    if (!line) return;
    if (line.mark === "removed" || line.line === 0) {
      replace(this.#detail, h("p", null, "Removed by this step: ", h("code", null, line.text.trim())));
      return;
    }
    void this.#latest.run(async () => {
      const answer = await this.#app.line(line.line).catch(() => null); // the object may have changed in the meantime
      if (answer) refresh(this.#detail, ...this.#description(answer));
    });
  }

  #description(line: LineOutput): HTMLElement[] {
    const managers = this.#app.output?.object?.managers ?? [];
    const owners = line.owners.flatMap((o) => {
      const m = managers[o.manager];
      return m
        ? [
            h(
              "li",
              null,
              chip(this.#app, m.name),
              h(
                "span",
                null,
                `${m.operation}${m.subresource ? ` of ${m.subresource}` : ""}, ${m.apiVersion}${m.time ? `, ${clock(m.time)}` : ""}, ${this.#since(o.since)}`,
              ),
            ),
          ]
        : [];
    });
    return [
      h(
        "p",
        { class: "field" },
        h("code", { class: "path" }, line.path || "the whole object"),
        h("span", { class: `meaning ${line.meaning}` }, meanings[line.meaning] ?? line.meaning),
        h("span", { class: "quiet" }, line.merges),
      ),
      h(
        "p",
        null,
        line.text,
        " ",
        h("a", { href: line.rule.url, target: "_blank", rel: "noopener" }, `Rule: ${line.rule.name}`),
      ),
      ...(owners.length > 0 ? [h("ul", { class: "plain" }, ...owners)] : []),
    ];
  }

  #since(step: number): string {
    if (step === 0) return "before the first step";
    const { actor, do: action } = this.#app.scenario.steps[step - 1] ?? { actor: "", do: "" };
    return `since step ${step}${actor ? ` (${actor}, ${actionNames[action] ?? action})` : ""}`;
  }
}

/** shortened returns a name such that what follows it beside a line stays in view. */
const shortened = (name: string): string => (name.length > 40 ? `${name.slice(0, 39)}…` : name);

/** rowsOf returns the rows to show: those of the object, or the removed ones if it was deleted. */
const rowsOf = (output: RunOutput | null): Row[] =>
  output?.object || output?.rows.some((r) => r.mark === "removed")
    ? output.rows.filter((r) => output.object || r.mark === "removed")
    : [];

/** deleted reports whether a step has deleted its object. */
export const deleted = (output: RunOutput, result: StepResult): boolean =>
  result.ok && result.changed && !output.object;

/** clock returns a timestamp in readable form. */
export const clock = (time: string): string => time.replace("T", " ").replace(/:00Z$|Z$/, "");

/** entryText returns an entry of managedFields without its manager. */
const entryText = (m: Manager): string =>
  `${m.operation}${m.subresource ? ` of ${m.subresource}` : ""}${m.time ? ` at ${clock(m.time)}` : ""}`;
