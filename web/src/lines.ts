// The lines of the object, which an editor shows with a gutter of owners.
import { type EditorState, StateEffect, StateField } from "@codemirror/state";
import type { ViewUpdate } from "@codemirror/view";

/** A line as it is shown. */
export interface ListingLine {
  text: string;
  /** The number of the line in the object, 0 for a removed line. */
  line: number;
  mark: string;
  /** The owners, with their letters, shapes and colours, and what is shown of them beside a line. */
  owners: { name: string; letter: string; shape: string; colour: string; label: string }[];
  /** The sign in the gutter of a line without owners: "below", "server", "identity", "status" or "". */
  meaning: string;
  /** The value that the step applies in a conflict, "" if there is none. */
  wanted: string;
}

export interface Lines {
  lines: ListingLine[];
  /** For each line, the last line of its fold, 0 if it cannot be folded. Lines are numbered from 1. */
  folds: number[];
}

export const setLines = StateEffect.define<Lines>();

/** The lines of the editor, one for each line of its text. */
export const linesField = StateField.define<Lines>({
  create: () => ({ lines: [], folds: [] }),
  update(lines, transaction) {
    for (const effect of transaction.effects) if (effect.is(setLines)) lines = effect.value;
    return lines;
  },
});

/** lineAt returns the line with a number, counted from 1. */
export const lineAt = (state: EditorState, number: number): ListingLine | undefined =>
  state.field(linesField).lines[number - 1];

/** foldsOf determines the fold of each line from the indentation. */
export function foldsOf(lines: ListingLine[]): number[] {
  const folds = new Array<number>(lines.length).fill(0);
  const open: { line: number; indent: number; item: boolean }[] = [];
  let last = 0;
  const close = (until: (o: { indent: number; item: boolean }) => boolean) => {
    for (let top = open.at(-1); top && until(top); top = open.at(-1)) {
      if (last > top.line) folds[top.line - 1] = last;
      open.pop();
    }
  };
  lines.forEach(({ text }, i) => {
    if (text.trim() === "") return;
    const indent = text.length - text.trimStart().length;
    const item = text.startsWith("- ", indent);
    close((o) => o.indent > indent || (o.indent === indent && (o.item || !item)));
    open.push({ line: i + 1, indent, item });
    last = i + 1;
  });
  close(() => true);
  return folds;
}

/** changedLines reports whether an update replaces the lines. */
export const changedLines = (update: ViewUpdate): boolean =>
  update.startState.field(linesField) !== update.state.field(linesField);
