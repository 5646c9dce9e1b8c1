// The CodeMirror editor. Each editor is in a shadow root, where CodeMirror uses constructed
// style sheets, which the strict Content-Security-Policy allows. Outside of one it would insert
// a <style> element, which the policy forbids.
import { defaultKeymap, history, historyKeymap, indentWithTab, redo, undo } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import {
  Annotation,
  Compartment,
  EditorState,
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
  Transaction,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  WidgetType,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { cardStyles } from "./cards";
import { hex, hidden } from "./dom";
import type { Mark } from "./messages";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--code-number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: "var(--muted)" },
]);

export const codeLook = EditorView.theme({
  "&": {
    fontSize: "var(--code-size, 0.8125rem)",
    backgroundColor: "var(--field)",
    color: "var(--text)",
    height: "100%",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.55",
    minHeight: "var(--editor-least, 0)",
    maxHeight: "var(--editor-height, none)",
    overflow: "auto",
  },
  ".cm-gutters": { backgroundColor: "var(--field)", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "1.625rem", padding: "0 4px 0 2px" },
  // The browser draws the cursor and the selection. The layers of drawSelection() would be
  // measured, laid out and painted separately after each key press.
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-line::selection, .cm-line ::selection": { backgroundColor: "var(--selection)" },
  ".cm-specialChar": {
    color: "var(--bad)",
    backgroundColor: "var(--bad-soft)",
    borderRadius: "3px",
    padding: "0 2px",
    fontWeight: "700",
  },
});

const editLook = EditorView.theme({
  ".cm-bad": { backgroundColor: "var(--bad-soft)" },
  ".cm-bad-from": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
  ...cardStyles,
});

/**
 * shadowOf attaches a shadow root for an editor to an element. CodeMirror reads the selection
 * after each change, which forces the browser to compute the layout. An editor without the focus
 * therefore reports that it has none.
 */
export function shadowOf(host: HTMLElement): ShadowRoot {
  const root = host.attachShadow({ mode: "open" }) as ShadowRoot & { getSelection?: () => Selection | null };
  const ask = root.getSelection;
  if (ask) root.getSelection = () => (document.activeElement === host ? ask.call(root) : null);
  return root;
}

/** marked makes hidden characters visible. */
export const marked = highlightSpecialChars({
  addSpecialChars: hidden,
  render: (code, description) => {
    const span = document.createElement("span");
    span.className = "cm-specialChar";
    span.textContent = code < 32 || code === 127 ? "␣" : `U+${hex(code)}`;
    span.title = span.ariaLabel = description ?? "a character that cannot be seen";
    return span;
  },
});

const setMarks = StateEffect.define<DecorationSet>();

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) marks = effect.value;
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const badLine = Decoration.line({ class: "cm-bad" });
const badText = Decoration.mark({ class: "cm-bad-from", inclusive: true });

function underlined(state: EditorState, marks: Mark[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const ordered = marks.filter((m) => m.line > 0).sort((a, b) => a.line - b.line || a.column - b.column);
  let last = 0;
  let lastFrom = -1;
  for (const mark of ordered) {
    const line = state.doc.line(Math.min(mark.line, state.doc.lines));
    if (line.number !== last) builder.add(line.from, line.from, badLine);
    last = line.number;
    const from = Math.min(line.from + Math.max(mark.column - 1, 0), line.to);
    if (from < line.to && from > lastFrom) builder.add(from, line.to, badText);
    lastFrom = Math.max(lastFrom, from);
  }
  return builder.finish();
}

/** A Card is an element below a line of the text. Cards with the same key are the same card. */
export interface Card {
  line: number;
  key: string;
  make(): HTMLElement;
}

/**
 * The heights of cards that have been shown. CodeMirror estimates the height of a card when its line
 * is edited or the card is shown again. If the estimate is right, the gutter stays as it is.
 */
const cardHeights = new Map<string, number>();
const shownCards = new WeakMap<Element, Card>();

const cardSizes = new ResizeObserver((entries) => {
  for (const { target, borderBoxSize } of entries) {
    const card = shownCards.get(target);
    const height = borderBoxSize[0]?.blockSize;
    if (card && height) cardHeights.set(card.key, height);
  }
});

class CardWidget extends WidgetType {
  constructor(readonly card: Card) {
    super();
  }
  override eq(other: CardWidget): boolean {
    return other.card.key === this.card.key;
  }
  override toDOM(): HTMLElement {
    const place = document.createElement("div"); // CodeMirror measures its padding, but not margins
    place.className = "card-place";
    place.append(this.card.make());
    shownCards.set(place, this.card);
    cardSizes.observe(place);
    return place;
  }
  override destroy(place: HTMLElement): void {
    cardSizes.unobserve(place);
  }
  override ignoreEvent(): boolean {
    return true;
  }
  override get estimatedHeight(): number {
    return cardHeights.get(this.card.key) ?? 84;
  }
}

const setCards = StateEffect.define<DecorationSet>();

const cardsField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(cards, transaction) {
    cards = cards.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setCards)) cards = effect.value;
    }
    return cards;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function placed({ doc }: EditorState, cards: Card[]): DecorationSet {
  return Decoration.set(
    cards.map((card) =>
      Decoration.widget({ widget: new CardWidget(card), block: true, side: 1 }).range(
        doc.line(Math.min(card.line, doc.lines)).to,
      ),
    ),
    true,
  );
}

/** The annotation of changes by the page, which the page undoes instead of the editor. */
const outside = Annotation.define<boolean>();

export interface Editor {
  host: HTMLElement;
  text(): string;
  /** Shows a text. A text with an id keeps its undo history while others are shown. */
  show(text: string, id?: number): void;
  /** Replaces the marked errors and the cards below lines. */
  annotate(marks: Mark[], cards?: Card[]): void;
  goTo(line: number, column: number): void;
  focus(): void;
}

export interface EditorOptions {
  label: string;
  /** The text that is shown first, and its id. */
  text?: string;
  id?: number;
  /** Called after each change of the text; again is true if the editor undid or redid a change. */
  changed(text: string, again: boolean): void;
  readOnly?: boolean;
  /** Whether the editor is in a dialog, in which Tab goes to the next control and Escape closes the dialog. */
  inDialog?: boolean;
  /** Undoes a change by the page, and reports whether there was one to undo. */
  undo?(): boolean;
  redo?(): boolean;
}

type Mode = "json" | "yaml" | "plain";

/** modeOf returns how a text is highlighted and wrapped: not at all if it is large. */
function modeOf(text: string): Mode {
  if (text.length > 300_000) return "plain";
  return /^\s*[{[]/.test(text) ? "json" : "yaml";
}

const modes = {
  json: () => [json(), EditorView.lineWrapping],
  yaml: () => [yaml(), EditorView.lineWrapping],
  plain: () => [],
};

/** The maximum number of steps whose undo history is kept. */
const mostStates = 200;

/** The number of pixels shown above the first conflict when a text is shown for the first time. */
const above = 24;

/** makeEditor creates an editor for YAML, or for JSON if the text begins like it. */
export function makeEditor(options: EditorOptions): Editor {
  const host = document.createElement("div");
  host.className = "editor";
  const root = shadowOf(host);
  const language = new Compartment();
  const extensions = (text: string) => [
    lineNumbers(),
    history(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    marked,
    language.of(modes[modeOf(text)]()),
    syntaxHighlighting(colours),
    codeLook,
    editLook,
    marksField,
    cardsField,
    EditorState.readOnly.of(options.readOnly ?? false),
    keymap.of([
      { key: "Mod-z", run: (view) => (options.undo?.() ?? false) || undo(view) },
      { key: "Mod-y", mac: "Mod-Shift-z", run: (view) => redo(view) || (options.redo?.() ?? false) },
      ...(options.inDialog
        ? []
        : [
            { key: "Escape", run: () => (host.blur(), (document.activeElement as HTMLElement | null)?.blur(), true) },
            indentWithTab,
          ]),
      ...defaultKeymap.filter((k) => k.key !== "Mod-Alt-\\" && k.key !== "Escape"),
      ...historyKeymap,
    ]),
    EditorView.contentAttributes.of({
      "aria-label": options.label,
      tabindex: "0",
      spellcheck: "false",
      autocapitalize: "off",
    }),
    EditorView.updateListener.of((update) => {
      if (!update.docChanged) return;
      arrived = update.transactions.some((t) => t.isUserEvent("input.paste")) && "pasted";
      const text = update.state.doc.toString();
      const mode = modeOf(text);
      if (mode !== modeOf(update.startState.doc.toString()))
        update.view.dispatch({ effects: language.reconfigure(modes[mode]()) });
      if (!update.transactions.some((t) => t.annotation(outside)))
        options.changed(
          text,
          update.transactions.some((t) => t.isUserEvent("undo") || t.isUserEvent("redo")),
        );
    }),
  ];
  const state = (doc: string): EditorState => EditorState.create({ doc, extensions: extensions(doc) });
  const view = new EditorView({ state: state(options.text ?? ""), parent: root, root });
  const states = new Map<number, EditorState>();
  let shown = options.id;
  let arrived: "pasted" | "shown" | false = "shown"; // the text was pasted, or is shown for the first time since another one
  return {
    host,
    text: () => view.state.doc.toString(),
    show(text, id) {
      if (id !== shown) {
        if (shown !== undefined) states.set(shown, view.state);
        if (states.size > mostStates) states.delete(states.keys().next().value!);
        view.setState((id === undefined ? undefined : states.get(id)) ?? state(text));
      }
      if (text !== view.state.doc.toString())
        view.dispatch({
          changes: difference(view.state.doc.toString(), text),
          annotations: [outside.of(true), Transaction.addToHistory.of(false)],
        });
      if (id !== shown) arrived = "shown";
      shown = id;
    },
    annotate(marks, cards = []) {
      const { state } = view;
      const bad = underlined(state, marks);
      const below = placed(state, cards);
      if (RangeSet.eq([state.field(marksField)], [bad]) && RangeSet.eq([state.field(cardsField)], [below])) return; // each dispatch forces a layout of the page
      const effects: StateEffect<unknown>[] = [setMarks.of(bad), setCards.of(below)];
      // The first conflict may be out of view: a paste scrolls to the end of the text, and another text begins at its top.
      const first = Math.min(...marks.map((m) => m.line).filter((line) => line > 0), ...cards.map((c) => c.line));
      if (arrived && Number.isFinite(first)) {
        const { from } = state.doc.line(Math.min(first, state.doc.lines));
        // Scrolling the page would move the introduction out of view, which a first visitor has not read yet.
        if (arrived === "shown" && document.documentElement.dataset.begun === undefined)
          view.requestMeasure({
            read: () => view.lineBlockAt(from).top,
            write: (top) => (view.scrollDOM.scrollTop = top - above),
          });
        else effects.push(EditorView.scrollIntoView(from, { y: "start", yMargin: above }));
        arrived = false;
      }
      view.dispatch({ effects });
    },
    goTo(line, column) {
      const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      const anchor = Math.min(at.from + Math.max(column - 1, 0), at.to);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
      view.focus();
    },
    focus: () => view.focus(),
  };
}

/** difference returns the single change from one text to another, without their common prefix and suffix. */
export function difference(before: string, after: string): { from: number; to: number; insert: string } {
  let from = 0;
  const shorter = Math.min(before.length, after.length);
  while (from < shorter && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (
    end < shorter - from &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}
