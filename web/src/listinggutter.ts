// The gutter of the object: for each line its number, the letters of its owners, what the step
// changed, and a button to fold it. CodeMirror's own gutters are columns whose elements are
// filled anew for each line below an inserted one and after each scrolling. This one has an
// element for each line, which moves with the line.
import { foldedRanges, foldEffect, unfoldEffect } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { type BlockInfo, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { h, Keyed } from "./dom";
import { changedLines, linesField, type ListingLine } from "./lines";

const signs: Record<string, string> = { added: "+", removed: "−", owners: "~" };
const meanings: Record<string, string> = { below: "┆", server: "⚙", identity: "#", status: "⚙" };

/** The most letters beside a line. If it has more owners, the last one is their number. */
const mostLetters = 3;

/** owners returns the letters of a line's owners, or a sign for its meaning if it has none. */
function owners({ owners, meaning, mark }: ListingLine): HTMLElement[] {
  if (mark === "removed") return [];
  if (owners.length === 0) return [h("i", { class: `none ${meaning}` }, meanings[meaning] ?? "·")];
  const shown = owners.length > mostLetters ? owners.slice(0, mostLetters - 1) : owners;
  const letters = shown.map((o) =>
    h("b", { class: "letter", "data-colour": o.colour, "data-shape": o.shape }, o.letter),
  );
  return owners.length > shown.length
    ? [...letters, h("b", { class: "letter more" }, `+${owners.length - shown.length}`)]
    : letters;
}

/** widthOf returns the width in rem that the letters of a number of owners take. */
const widthOf = (owners: number): number =>
  Math.max(30, 4 + 18 * Math.min(owners, mostLetters) + (owners > 11 ? 7 : 0)) / 16;

/** The button of a line that can be folded or is folded, "" for others. */
type Fold = "" | "open" | "closed";

function foldOf(state: EditorState, block: BlockInfo, end: number): Fold {
  if (state.doc.lineAt(block.from).to < block.to) return "closed";
  return end > 0 ? "open" : "";
}

/** element makes the row of a line. Signs and buttons are only made for lines that have them, because a browser paints all elements of the gutter again when one changes. */
function element(line: ListingLine, fold: Fold, height: number): HTMLElement {
  const sign = line.wanted ? "⚡" : signs[line.mark];
  const row = h(
    "div",
    { class: "row" },
    String(line.line || ""),
    h("span", { class: "owners" }, ...owners(line)),
    sign ? h("span", { class: line.wanted ? "sign bad" : "sign" }, sign) : null,
    fold
      ? h("span", { class: "fold", title: fold === "open" ? "Fold line" : "Unfold line" }, fold === "open" ? "▾" : "▸")
      : null,
  );
  row.style.height = `${height}px`;
  return row;
}

/** toggle folds or unfolds the line at the height of a click. */
function toggle(view: EditorView, y: number): void {
  const { state } = view;
  const block = view.lineBlockAtHeight(y - view.documentTop);
  const line = state.doc.lineAt(block.from);
  const end = state.field(linesField).folds[line.number - 1];
  if (foldOf(state, block, end ?? 0) === "closed") {
    foldedRanges(state).between(line.to, line.to, (from, to) =>
      view.dispatch({ effects: unfoldEffect.of({ from, to }) }),
    );
  } else if (end) view.dispatch({ effects: foldEffect.of({ from: line.to, to: state.doc.line(end).to }) });
}

class Gutter {
  readonly #rows = new Keyed(h("div", { class: "rows", "aria-hidden": "true" }));
  #view: EditorView;
  /** The texts by which the elements of lines are recognized. */
  #looks = new WeakMap<ListingLine, string>();
  #digits = 0;
  #owners = 0;

  constructor(view: EditorView) {
    this.#view = view;
    this.#rows.parent.addEventListener(
      "click",
      (event) => (event.target as Element).matches(".fold") && toggle(view, event.clientY),
    );
    view.scrollDOM.insertBefore(this.#rows.parent, view.contentDOM);
    this.#measure();
    this.#draw();
  }

  update(update: ViewUpdate): void {
    const changed = changedLines(update);
    if (changed) this.#measure();
    if (changed || update.docChanged || update.heightChanged || update.viewportChanged || update.geometryChanged)
      this.#draw();
  }

  destroy(): void {
    this.#rows.parent.remove();
  }

  /** #measure sets the widths of the columns. */
  #measure(): void {
    const { lines } = this.#view.state.field(linesField);
    const digits = String(lines.length).length;
    const owners = lines.reduce((most, { owners }) => Math.max(most, owners.length), 1);
    const { style } = this.#rows.parent;
    if (digits !== this.#digits) style.setProperty("--digits", String((this.#digits = digits)));
    if (owners !== this.#owners) style.setProperty("--owners", `${widthOf((this.#owners = owners))}rem`);
  }

  #draw(): void {
    const view = this.#view;
    const { lines, folds } = view.state.field(linesField);
    const rows = view.viewportLineBlocks.flatMap((block) => {
      const { number } = view.state.doc.lineAt(block.from);
      const line = lines[number - 1];
      return line ? [{ line, fold: foldOf(view.state, block, folds[number - 1] ?? 0), height: block.height }] : [];
    });
    const { style } = this.#rows.parent;
    style.paddingTop = `${(view.viewportLineBlocks[0]?.top ?? 0) + view.documentPadding.top}px`;
    style.height = `${view.contentHeight}px`;
    this.#rows.show(
      rows.map(({ line, fold, height }) => `${this.#look(line)} ${fold} ${height}`),
      (i) => element(rows[i]!.line, rows[i]!.fold, rows[i]!.height),
    );
  }

  #look(line: ListingLine): string {
    let look = this.#looks.get(line);
    if (look === undefined) {
      look = `${line.line} ${line.mark} ${line.meaning} ${line.wanted !== ""} ${line.owners.map((o) => o.letter + o.colour + o.shape).join()}`;
      this.#looks.set(line, look);
    }
    return look;
  }
}

export const listingGutter = ViewPlugin.fromClass(Gutter);
