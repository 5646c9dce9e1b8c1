// Stores the results that the page shows, so that it can show them after a reload before the
// engine is running. They are looked up by the whole request, and are valid only for the engines
// that computed them.
import catalogURL from "@patchlab/engine/catalog.bin?url";
import completeURL from "@patchlab/engine/engine.wasm?url";
import firstURL from "../generated/engine.wasm?url";
import rulesURL from "../generated/rules.wasm?url";
import { keyOf } from "./preparedkey";

const storageKey = "patchlab.playground.answers";

/** The names of these files change with their contents. */
const engines = [firstURL, completeURL, rulesURL, catalogURL].join();

/** The maximum length of the stored results, so that they leave enough storage for the state. */
const most = 1_000_000;

interface Kept {
  engines: string;
  answers: Record<string, unknown>;
}

export interface Answered {
  call: string;
  input: object;
  output: unknown;
}

let kept: Record<string, unknown> | undefined;

/** recall loads the stored results, and reports whether there are any. */
export function recall(): boolean {
  kept = {};
  try {
    const found = JSON.parse(localStorage.getItem(storageKey) ?? "null") as Kept | null;
    if (found?.engines === engines) kept = found.answers;
  } catch {
    // Ignore invalid contents and missing storage: the engine computes the result.
  }
  return Object.keys(kept).length > 0;
}

/** remembered returns the stored result for a request, undefined if there is none. */
export const remembered = (request: string): unknown => kept?.[keyOf(request)];

/** forget removes the stored results, which take storage that the state needs. */
export function forget(): void {
  try {
    localStorage.removeItem(storageKey);
  } catch {
    // The storage is forbidden, so there are none.
  }
}

/** remember stores results in place of the previous ones. */
export function remember(list: Answered[]): void {
  const answers = Object.fromEntries(
    list.map(({ call, input, output }) => [keyOf(JSON.stringify({ call, input })), output]),
  );
  const text = JSON.stringify({ engines, answers } satisfies Kept);
  try {
    localStorage.removeItem(storageKey);
    if (text.length <= most) localStorage.setItem(storageKey, text);
  } catch {
    // Ignore a full or missing storage: the engine computes the result next time.
  }
}
