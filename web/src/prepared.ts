// Answers to what a first visitor sees, which the complete engine gave when the page was
// built (scripts/prepare.mjs). They are found by the whole request, so that an answer is
// never taken for that to another input.
import preparedURL from "../generated/prepared.json?url";
import { keyOf } from "./preparedkey";

let loaded: Promise<Record<string, unknown>> | undefined;

/** load loads the answers. Without them the engine is waited for. */
export const load = (): Promise<Record<string, unknown>> => (loaded ??= fetch(preparedURL).then((response) => (response.ok ? response.json() : {})).catch(() => ({})));

/** prepared returns the answer to a request, undefined if there is none. It may be changed. */
export async function prepared(request: string): Promise<unknown> {
  const answer = (await load())[keyOf(request)];
  return answer === undefined ? undefined : structuredClone(answer);
}
