// The object in a read-only CodeMirror, with an ownership gutter and rows in the colours of
// their owners. Only visible lines are rendered.
import { defaultKeymap } from "@codemirror/commands";
import { codeFolding, foldKeymap, foldService } from "@codemirror/language";
import { getSearchQuery, highlightSelectionMatches, search, searchKeymap, setSearchQuery } from "@codemirror/search";
import { type ChangeSpec, Compartment, EditorState, type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  keymap,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from "@codemirror/view";
import { codeLook, difference, marked, shadowOf } from "./editor";
import { h } from "./dom";
import { changedLines, foldsOf, lineAt, linesField, type ListingLine, setLines } from "./lines";
import { listingGutter } from "./listinggutter";
import { listingLook } from "./listingstyle";

class WantedWidget extends WidgetType {
  constructor(readonly text: string) {
    super();
  }
  override eq(other: WantedWidget): boolean {
    return other.text === this.text;
  }
  override toDOM(): HTMLElement {
    return h("span", { class: "wanted", title: this.text }, this.text);
  }
}

/** The owners of the line with the cursor, after its text. */
class BlameWidget extends WantedWidget {
  override toDOM(): HTMLElement {
    return h("span", { class: "blame", "aria-hidden": "true" }, this.text);
  }
}

const rowClasses = new Map<string, Decoration>();
const tokens = Object.fromEntries(
  ["key", "str", "num", "dim"].map((name) => [name, Decoration.mark({ class: `tok-${name}` })]),
);

function rowDecoration(line: ListingLine): Decoration {
  const [first, second] = line.owners;
  const kind =
    line.owners.length > 1
      ? `two o-${first!.colour} p-${second!.colour}`
      : first
        ? `one o-${first.colour}`
        : line.meaning === "below"
          ? "below"
          : "none";
  const name = `${line.mark === "removed" ? "" : kind} ${line.mark}${line.wanted ? " conflict" : ""}`;
  let decoration = rowClasses.get(name);
  if (!decoration) rowClasses.set(name, (decoration = Decoration.line({ class: name })));
  return decoration;
}

const member = /^(\s*(?:- )*)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#][^#]*?):)(?:\s+(.*))?$/;
const number = /^(?:-?\d[\d.eE+-]*|true|false|null)$/;

/** colour adds the decorations of a line's text. */
function colour(builder: RangeSetBuilder<Decoration>, from: number, text: string): void {
  const found = member.exec(text);
  const indent = found?.[1]?.length ?? text.length - text.trimStart().length;
  const key = found?.[2] ?? "";
  if (key) builder.add(from + indent, from + indent + key.length - 1, tokens.key!);
  const value = found ? (found[3] ?? "") : text.slice(indent).replace(/^(?:- )+/, "");
  if (value)
    builder.add(
      from + text.length - value.length,
      from + text.length,
      tokens[number.test(value) ? "num" : /^[[{|>]/.test(value) ? "dim" : "str"]!,
    );
}

/** Highlights only the visible lines, because an object may have thousands. */
const painter = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    touched = false;
    constructor(view: EditorView) {
      this.decorations = this.paint(view);
    }
    update(update: ViewUpdate): void {
      if (update.selectionSet || update.view.hasFocus) this.touched = true;
      if (
        update.docChanged ||
        update.viewportChanged ||
        update.selectionSet ||
        update.focusChanged ||
        changedLines(update)
      )
        this.decorations = this.paint(update.view);
    }
    paint(view: EditorView): DecorationSet {
      const builder = new RangeSetBuilder<Decoration>();
      const { doc, selection } = view.state;
      const current = this.touched ? doc.lineAt(selection.main.head).number : 0;
      let next = 1; // the first line that has not been painted: the visible ranges omit parts of long lines, and so several may be of one line
      for (const range of view.visibleRanges) {
        for (let number = Math.max(next, doc.lineAt(range.from).number); number <= doc.lines; number++) {
          const { from, to, text } = doc.line(number);
          if (from > range.to) break;
          next = number + 1;
          const line = lineAt(view.state, number);
          if (!line) continue;
          builder.add(from, from, rowDecoration(line));
          if (number === current) builder.add(from, from, currentLine);
          colour(builder, from, text);
          if (line.wanted) builder.add(to, to, Decoration.widget({ widget: new WantedWidget(line.wanted), side: 1 }));
          if (number === current && line.owners.length > 0)
            builder.add(
              to,
              to,
              Decoration.widget({ widget: new BlameWidget(line.owners.map((o) => o.label).join(" · ")), side: 2 }),
            );
        }
      }
      return builder.finish();
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

const currentLine = Decoration.line({ class: "current" });

const tooltip = hoverTooltip(
  (view, position) => {
    const line = lineAt(view.state, view.state.doc.lineAt(position).number);
    if (!line || line.owners.length === 0) return null;
    return {
      pos: view.state.doc.lineAt(position).from,
      above: true,
      create: () => ({
        dom: h(
          "div",
          { class: "owner-labels" },
          ...line.owners.map((o) =>
            h(
              "div",
              null,
              h("b", { class: "letter", "data-colour": o.colour, "data-shape": o.shape }, o.letter),
              ` ${o.label}`,
            ),
          ),
        ),
      }),
    };
  },
  { hideOnChange: true, hoverTime: 350 },
);

/** Reports in the search panel that the text has no match. */
const searched = EditorView.updateListener.of(({ state, transactions, view }) => {
  if (!transactions.some((t) => t.effects.some((e) => e.is(setSearchQuery)))) return;
  const panel = view.dom.querySelector(".cm-search");
  let none = panel?.querySelector("output");
  if (panel && !none) panel.append((none = h("output", { class: "none-found" })));
  const query = getSearchQuery(state);
  if (none) none.textContent = query.search && (!query.valid || query.getCursor(state).next().done) ? "No match" : "";
});

export interface ListingEvents {
  /** The cursor has moved to a line. */
  moved(line: ListingLine): void;
  /** The pointer is over a line; null when it has left. */
  pointed(line: ListingLine | null): void;
}

/** Narrow screens wrap long lines instead of scrolling sideways. */
const narrow = window.matchMedia("(width < 45rem)");
const wrapping = new Compartment();
const wrapped = (): Extension => (narrow.matches ? EditorView.lineWrapping : []);

function extensions(events: ListingEvents): Extension[] {
  return [
    linesField,
    listingGutter,
    codeFolding({ placeholderText: "…" }),
    foldService.of((state, from) => {
      const { number, to } = state.doc.lineAt(from);
      const end = state.field(linesField).folds[number - 1];
      return end ? { from: to, to: state.doc.line(end).to } : null;
    }),
    wrapping.of(wrapped()),
    search({ top: true }),
    searched,
    highlightSelectionMatches(),
    marked,
    painter,
    tooltip,
    codeLook,
    listingLook,
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    keymap.of([...searchKeymap, ...foldKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({
      "aria-label": "The object, line by line",
      "aria-readonly": "true",
      tabindex: "0",
    }),
    EditorView.updateListener.of((update) => {
      if (!update.selectionSet && !(update.focusChanged && update.view.hasFocus)) return;
      const line = lineAt(update.state, update.state.doc.lineAt(update.state.selection.main.head).number);
      if (line) events.moved(line);
    }),
    EditorView.domEventHandlers({
      mousemove: (event, view) => {
        const position = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
        events.pointed(lineAt(view.state, view.state.doc.lineAt(position).number) ?? null);
      },
      mouseleave: () => events.pointed(null),
    }),
  ];
}

/** changed returns the range of lines that differ: [from, end) before and [from, to) now. Neither range is empty unless one of the lists is. It returns null if all lines are the same. */
function changed(before: ListingLine[], now: ListingLine[]): { from: number; end: number; to: number } | null {
  const shorter = Math.min(before.length, now.length);
  let from = 0;
  while (from < shorter && before[from] === now[from]) from++;
  if (from === before.length && from === now.length) return null;
  let same = 0;
  while (same < shorter - from && before[before.length - 1 - same] === now[now.length - 1 - same]) same++;
  if (from > 0 && (from === before.length - same || from === now.length - same)) from--;
  else if (same > 0 && (from === before.length - same || from === now.length - same)) same--;
  return { from, end: before.length - same, to: now.length - same };
}

/** indentOf returns the indentation of a line, which determines its fold. */
const indentOf = (text: string): string => /^\s*(?:- )?(?=\S)/.exec(text)?.[0] ?? "blank";

export class Listing {
  readonly host = h("div", { class: "listing" });
  readonly #view: EditorView;

  constructor(events: ListingEvents) {
    const root = shadowOf(this.host);
    this.#view = new EditorView({ state: EditorState.create({ extensions: extensions(events) }), parent: root, root });
    narrow.addEventListener("change", () => this.#view.dispatch({ effects: wrapping.reconfigure(wrapped()) }));
  }

  /** show replaces the lines. Lines that are identical objects are not rendered again. */
  show(lines: ListingLine[]): void {
    const { lines: before, folds } = this.#view.state.field(linesField);
    const range = changed(before, lines);
    if (!range) return;
    const { from, to, end } = range;
    const old = before.slice(from, end);
    const now = lines.slice(from, to);
    const sameText = old.length === now.length && old.every((line, i) => line.text === now[i]!.text);
    const sameFolds =
      old.length === now.length && old.every((line, i) => indentOf(line.text) === indentOf(now[i]!.text));
    this.#view.dispatch({
      changes: sameText ? undefined : this.#change(from, end, before.length, now.map((l) => l.text).join("\n")),
      effects: setLines.of({ lines, folds: sameFolds ? folds : foldsOf(lines) }),
    });
  }

  /** #change replaces a range of lines with a text. */
  #change(from: number, end: number, count: number, text: string): ChangeSpec {
    const { doc } = this.#view.state;
    const at = count === 0 ? 0 : doc.line(from + 1).from;
    const to = count === 0 ? 0 : doc.line(end).to;
    const change = difference(doc.sliceString(at, to), text);
    return { from: at + change.from, to: at + change.to, insert: change.insert };
  }

  /** reveal scrolls to a line, counted from 1 among those that are shown. */
  reveal(number: number, select: boolean): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(number, 1), doc.lines));
    this.#view.dispatch({
      effects: EditorView.scrollIntoView(from, { y: "center" }),
      selection: select ? { anchor: from } : undefined,
    });
    if (select) this.#view.focus();
  }

  /** onScreen reports whether a line is visible. */
  onScreen(number: number): boolean {
    const { doc } = this.#view.state;
    const block = this.#view.lineBlockAt(doc.line(Math.min(Math.max(number, 1), doc.lines)).from);
    const { scrollTop, clientHeight } = this.#view.scrollDOM;
    return block.top >= scrollTop && block.bottom <= scrollTop + clientHeight;
  }
}
