// The card of a conflict: the owner of the field and the possible resolutions, each with a
// preview.
import type { App } from "./app";
import { chip } from "./chip";
import { chipColours } from "./colours";
import { button, fieldPath, h, replace } from "./dom";
import { toolOf } from "./tools";
import type { Conflict, Manager, Row, WayOutput } from "./messages";

/** The styles of cards in an editor, because the page's styles do not apply within its shadow root. */
export const cardStyles = {
  ".card-place": { padding: "3px 8px 6px 4px" },
  ".card": {
    padding: "8px 10px",
    border: "1px solid var(--line)",
    borderLeft: "3px solid var(--bad)",
    borderRadius: "6px",
    background: "var(--raised)",
    font: "0.8125rem/1.45 var(--sans)",
    whiteSpace: "normal",
    display: "flex",
    flexDirection: "column",
    gap: "6px",
  },
  ".card p, .card h3": { margin: "0", font: "inherit" },
  ".card h3": { fontWeight: "600" },
  ".card code, .card pre": { fontFamily: "var(--mono)", fontSize: "0.75rem", margin: "0", overflowWrap: "anywhere" },
  ".card .row": { display: "flex", flexWrap: "wrap", gap: "6px" },
  ".card button": {
    font: "inherit",
    color: "var(--text)",
    background: "var(--card)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    padding: "3px 10px",
    minHeight: "var(--target, 1.75rem)",
    cursor: "pointer",
  },
  ".card button:hover": { background: "var(--hover)" },
  ".card button[aria-pressed=true]": { borderColor: "var(--accent)", boxShadow: "inset 0 0 0 1px var(--accent)" },
  ".card button.primary": { background: "var(--accent)", color: "var(--on-accent)", borderColor: "var(--accent)" },
  ".card button.primary:hover": { background: "var(--accent-strong)" },
  ".card :focus-visible": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".card .preview": {
    display: "flex",
    flexDirection: "column",
    gap: "6px",
    borderTop: "1px solid var(--line)",
    paddingTop: "6px",
  },
  ".card .preview:empty": { display: "none" },
  ".card .good": { color: "var(--good)" },
  ".card .bad": { color: "var(--bad)" },
  ".card .quiet": { color: "var(--muted)" },
  // Without a width of its own, a long line does not make the text beside the card wider than the editor.
  ".card pre": {
    contain: "inline-size",
    overflow: "auto",
    maxHeight: "11rem",
    padding: "4px 6px",
    background: "var(--field)",
    border: "1px solid var(--line)",
    borderRadius: "5px",
  },
  ".card pre span": { display: "block" },
  ".card .added": { background: "var(--added)" },
  ".card .removed": { background: "var(--removed)" },
  ".card .owners": { background: "var(--owners)" },
  ".card .chip": { display: "inline-flex", alignItems: "center", gap: "4px", verticalAlign: "bottom" },
  ".card .letter": {
    display: "inline-grid",
    placeItems: "center",
    minWidth: "1.0625rem",
    height: "1.0625rem",
    borderRadius: "4px",
    font: "700 0.65625rem/1 var(--mono)",
    color: "var(--chip-text)",
    background: "var(--chip)",
  },
  "@media (forced-colors: active)": { ".card button[aria-pressed=true]": { outline: "3px solid Highlight" } },
  ...chipColours(".card "),
};

/** A Contested is a field that the step would change and that other managers own. The engine reports a conflict for each owner. */
export interface Contested extends Omit<Conflict, "owner"> {
  /** The number of the first conflict. */
  number: number;
  /** The owners. A manager that owns the field twice, for example by an apply and by an update, is there once. */
  owners: Manager[];
}

/** contested groups conflicts by field. */
export function contested(conflicts: Conflict[]): Contested[] {
  const fields = new Map<string, Contested>();
  conflicts.forEach(({ owner, ...c }, number) => {
    const field = fields.get(c.path);
    if (!field) fields.set(c.path, { ...c, number, owners: [owner] });
    else {
      if (!field.owners.some(({ name }) => name === owner.name)) field.owners.push(owner);
      field.ways = field.ways.filter((way) => c.ways.some((w) => w.name === way.name));
    }
  });
  return [...fields.values()];
}

/**
 * ownersOf shows the owners of a conflicting field, each with the tool that uses the name, or
 * with the operation if the owner is an earlier update by the applier itself.
 */
export function ownersOf(app: App, { owners }: Contested): (Node | string)[] {
  return enumerated(
    owners.map(({ name, operation, subresource }) => {
      const how = name === app.step?.actor ? (operation === "Update" ? operation : "") : toolOf(name, subresource);
      return h("span", null, chip(app, name), how ? ` (${how})` : "");
    }),
  );
}

/** enumerated joins elements to an enumeration such as "a, b and c". */
export function enumerated(names: (Node | string)[]): (Node | string)[] {
  return names.flatMap((name, i) => [i === 0 ? "" : i === names.length - 1 ? " and " : ", ", name]);
}

/**
 * A ConflictCard shows the conflict over a field, or all conflicts of a step. If a value changes
 * while the user types, the same card shows the new value.
 */
export class ConflictCard {
  readonly element: HTMLElement;
  #app: App;
  #fields: Contested[];
  #path: string | undefined;
  #taken: () => void;
  #sentence = h("p", null);
  #preview = h("div", { class: "preview", "aria-live": "polite" });
  #buttons: HTMLElement[];

  /** number is the index of the field, or -1 for all fields together. */
  constructor(app: App, fields: Contested[], number: number, taken: () => void) {
    this.#app = app;
    this.#fields = fields;
    this.#path = fields[number]?.path;
    this.#taken = taken;
    const field = fields[number];
    const names = field
      ? field.ways.map((w) => w.name)
      : ["force", "drop", ...(fields.every((c) => c.ways.some((w) => w.name === "adopt")) ? ["adopt"] : [])];
    const texts = wayTexts(field);
    this.#buttons = names.map((way, i) =>
      button(texts[way] ?? way, `way-${number}-${way}`, () => this.#look(i, way), { "aria-pressed": "false" }),
    );
    this.element = h(
      "div",
      { class: "card", role: "group", "aria-label": field ? `Conflict at ${field.path}` : "All conflicts together" },
      this.#sentence,
      h("div", { class: "row" }, ...this.#buttons),
      this.#preview,
    );
    this.show(fields);
  }

  /** show renders the current fields. The owners of the card's own field are the same as before. */
  show(fields: Contested[]): void {
    this.#fields = fields;
    const field = this.#field();
    const sentence = field
      ? h(
          "p",
          null,
          ...ownersOf(this.#app, field),
          field.owners.length === 1 ? " owns " : " own ",
          h("code", null, ...fieldPath(field.path)),
          " with the value ",
          h("code", null, field.live || "(none)"),
          `; ${this.#app.step?.actor || "this step"} wants `,
          h("code", null, field.wanted || "(none)"),
          field.note ? `. Note: ${field.note}` : "",
        )
      : h("p", null, `Resolve the conflicts over all ${fields.length} fields in the same way:`);
    if (sentence.isEqualNode(this.#sentence)) return;
    this.#sentence.replaceWith(sentence);
    this.#sentence = sentence;
    if (!this.#preview.hasChildNodes()) return;
    this.#preview.replaceChildren(); // it was a preview for the previous manifest
    this.#press(-1);
  }

  #field(): Contested | undefined {
    return this.#fields.find((c) => c.path === this.#path);
  }

  #press(number: number): void {
    this.#buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(i === number)));
  }

  #look(number: number, way: string): void {
    this.#press(number);
    void look(this.#app, this.#field(), way, this.#preview, this.#taken);
  }
}

/** wayTexts returns the labels of the resolutions, which are the same as in patchlab apply. */
function wayTexts(field: Contested | undefined): Record<string, string> {
  return field
    ? { force: "Force", drop: "Drop the field", adopt: "Adopt the value" }
    : { force: "Force", drop: "Drop the fields", adopt: "Adopt the values" };
}

/** effectOf describes what a resolution changes and who owns the field afterwards. */
function effectOf(way: string, actor: string, field: Contested | undefined): string {
  const owners = field
    ? listed(field.owners.map(({ name }) => (name === actor ? `its earlier update` : name)))
    : "the other managers";
  const one = field?.owners.length === 1;
  const [it, keep] = field ? ["the field", one ? "keeps it" : "keep it"] : ["the fields", "keep them"];
  if (way === "force")
    return `Apply with force: ${actor} becomes the owner, and ${owners} ${one ? "loses" : "lose"} ${it}.`;
  if (way === "drop")
    return `Remove ${it} from the manifest: ${owners} ${keep}, with the live value${field ? "" : "s"}.`;
  return `Set ${it} in the manifest to the live value${field ? "" : "s"}: ${actor} and ${owners} both own ${field ? "it" : "them"}.`;
}

/** listed is enumerated for texts. */
export const listed = (names: string[]): string => (enumerated(names) as string[]).join("");

async function look(
  app: App,
  field: Contested | undefined,
  way: string,
  preview: HTMLElement,
  taken: () => void,
): Promise<void> {
  const { scenario, state } = app;
  const at = state.at;
  const conflict = field?.number ?? -1;
  let out: WayOutput;
  try {
    out = await app.engine.ask("way", { scenario, at, conflict, way });
  } catch (error) {
    replace(preview, h("p", { class: "bad" }, (error as Error).message));
    return;
  }
  const step = app.step;
  if (app.state.at !== at || !step) return;
  const rows = out.rows.filter((r) => r.mark !== "");
  const readOnly = document.documentElement.dataset.readonly !== undefined;
  const take = readOnly
    ? null
    : button(
        "Resolve this way",
        `take-${conflict}`,
        () => {
          const at = app.state.at;
          app.change("resolving a conflict", (s) => Object.assign(s.scenario.steps[at - 1]!, out.step));
          app.tell(resolved(way, at, field), { text: "Undo", run: () => app.undo() });
          taken();
        },
        { class: "primary" },
      );
  replace(
    preview,
    h(
      "p",
      { class: out.result.ok ? "good" : "bad" },
      out.result.ok ? `✓ The request succeeds (${out.result.code}).` : `✗ ${out.result.code} ${out.result.message}`,
    ),
    h("p", null, effectOf(way, step.actor, field)),
    out.step.body !== step.body ? diff(changedLines(step.body, out.step.body), "Changed lines of the manifest") : null,
    h("p", { class: "quiet" }, rows.length === 0 ? "The object does not change." : "The object after it:"),
    rows.length === 0 ? null : diff(rows, "Changed lines of the object"),
    take && h("div", { class: "row" }, take),
  );
  preview.scrollIntoView({ block: "nearest" });
}

/** resolved returns the message that is shown after a conflict was resolved. */
function resolved(way: string, at: number, field: Contested | undefined): string {
  if (way === "force") return `Step ${at} now applies with force.`;
  const fields = field ? field.path : "the fields in conflict";
  return way === "drop"
    ? `Removed ${fields} from the manifest of step ${at}.`
    : `The manifest of step ${at} now has the live value${field ? "" : "s"} of ${fields}.`;
}

type Line = Pick<Row, "text" | "mark">;

/** changedLines compares two texts that differ in a few lines. It omits their common first and last lines. */
function changedLines(before: string, after: string): Line[] {
  const a = before.split("\n");
  const b = after.split("\n");
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let end = 0;
  while (end < a.length - from && end < b.length - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return [
    ...a.slice(from, a.length - end).map((text) => ({ text, mark: "removed" })),
    ...b.slice(from, b.length - end).map((text) => ({ text, mark: "added" })),
  ];
}

/** diff renders changed lines. */
function diff(rows: Line[], label: string): HTMLElement {
  const sign: Record<string, string> = { added: "+ ", removed: "− ", owners: "~ " };
  return h(
    "pre",
    { class: "diff", tabindex: "0", "aria-label": label, role: "region" },
    ...rows.map((r) => h("span", { class: r.mark }, (sign[r.mark] ?? "  ") + r.text + "\n")),
  );
}
