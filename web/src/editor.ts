// CodeMirror, as the page uses it. Each editor stands in a shadow root: there its
// styles are constructed style sheets, which a strict Content-Security-Policy
// allows, where in the page they would be inline styles.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Mark } from "./messages";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--code-number)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { fontSize: "13px", backgroundColor: "var(--field)", color: "var(--text)", borderRadius: "6px", border: "1px solid var(--line)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "var(--editor-least, 0)", maxHeight: "var(--editor-height, 24rem)", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-bad": { backgroundColor: "var(--bad-soft)" },
  ".cm-bad-from": { textDecoration: "underline wavy var(--bad)", textUnderlineOffset: "3px" },
});

const setMarks = StateEffect.define<Mark[]>();

const marksField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setMarks)) marks = decorations(transaction.state, effect.value);
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(state: EditorState, marks: Mark[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const ordered = marks.filter((m) => m.line > 0).sort((a, b) => a.line - b.line || a.column - b.column);
  let last = 0;
  let lastFrom = -1;
  for (const mark of ordered) {
    const line = state.doc.line(Math.min(mark.line, state.doc.lines));
    if (line.number !== last) builder.add(line.from, line.from, Decoration.line({ class: "cm-bad" }));
    last = line.number;
    const from = Math.min(line.from + Math.max(mark.column - 1, 0), line.to);
    if (from < line.to && from > lastFrom) builder.add(from, line.to, Decoration.mark({ class: "cm-bad-from" }));
    lastFrom = Math.max(lastFrom, from);
  }
  return builder.finish();
}

export interface Editor {
  host: HTMLElement;
  text(): string;
  setText(text: string): void;
  setMarks(marks: Mark[]): void;
  goTo(line: number, column: number): void;
  focus(): void;
  hasFocus(): boolean;
}

/** How a text is coloured and wrapped: not at all where that would take long. */
function modeOf(text: string): "json" | "yaml" | "plain" {
  if (text.length > 300_000) return "plain";
  return /^\s*[{[]/.test(text) ? "json" : "yaml";
}

const modes = {
  json: () => [json(), EditorView.lineWrapping],
  yaml: () => [yaml(), EditorView.lineWrapping],
  plain: () => [],
};

/** makeEditor makes an editor of YAML, or of JSON where the text looks like it. */
export function makeEditor(label: string, initial: string, changed: (text: string) => void): Editor {
  const host = document.createElement("div");
  host.className = "editor";
  const root = host.attachShadow({ mode: "open" });
  const language = new Compartment();
  let mode = modeOf(initial);
  const state = (doc: string): EditorState =>
    EditorState.create({
      doc,
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), indentUnit.of("  "), bracketMatching(),
        language.of(modes[mode]()), syntaxHighlighting(colours), look, marksField,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const text = update.state.doc.toString();
          const next = modeOf(text);
          if (next !== mode) {
            mode = next;
            update.view.dispatch({ effects: language.reconfigure(modes[mode]()) });
          }
          changed(text);
        }),
      ],
    });
  const view = new EditorView({ state: state(initial), parent: root, root });
  return {
    host,
    text: () => view.state.doc.toString(),
    setText(text) {
      if (text === view.state.doc.toString()) return;
      mode = modeOf(text);
      view.setState(state(text)); // with a history of its own: undo must not bring another step's text
    },
    setMarks(marks) {
      if (marks.length > 0 || view.state.field(marksField).size > 0) view.dispatch({ effects: setMarks.of(marks) });
    },
    goTo(line, column) {
      const at = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: Math.min(at.from + Math.max(column - 1, 0), at.to) }, scrollIntoView: true });
      view.focus();
    },
    focus: () => view.focus(),
    hasFocus: () => view.hasFocus,
  };
}
