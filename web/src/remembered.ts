// The answers that a page shows are kept beside its state, so that they are shown when it is
// loaded again, before the engine is there. They are found by the whole request, and only
// where the same engines would answer it.
import catalogURL from "@patchlab/engine/catalog.bin?url";
import completeURL from "@patchlab/engine/engine.wasm?url";
import firstURL from "../generated/engine.wasm?url";
import rulesURL from "../generated/rules.wasm?url";
import { keyOf } from "./preparedkey";

const storageKey = "patchlab.playground.answers";

/** The names of these files change with their contents. */
const engines = [firstURL, completeURL, rulesURL, catalogURL].join();

/** The size in characters up to which answers are kept: the storage is there for the state. */
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

/** recall reads the answers that were kept; it reports whether there are any. */
export function recall(): boolean {
  kept = {};
  try {
    const found = JSON.parse(localStorage.getItem(storageKey) ?? "null") as Kept | null;
    if (found?.engines === engines) kept = found.answers;
  } catch {
    // Invalid contents, or no storage: the engine answers.
  }
  return Object.keys(kept).length > 0;
}

/** remembered returns the answer to a request, undefined if it was not kept. */
export const remembered = (request: string): unknown => kept?.[keyOf(request)];

/** remember keeps answers, in the place of those before. */
export function remember(list: Answered[]): void {
  const answers = Object.fromEntries(list.map(({ call, input, output }) => [keyOf(JSON.stringify({ call, input })), output]));
  const text = JSON.stringify({ engines, answers } satisfies Kept);
  try {
    localStorage.removeItem(storageKey);
    if (text.length <= most) localStorage.setItem(storageKey, text);
  } catch {
    // No room, or no storage: the engine answers next time.
  }
}
