// Results for the start page and the examples, which the complete engine computed when the page
// was built (scripts/prepare.mjs). They are looked up by the whole request, so that a result is
// never used for another input.
import preparedURL from "../generated/prepared.json?url";
import { keyOf } from "./preparedkey";

let loaded: Promise<Record<string, unknown>> | undefined;

/** load loads the results. Without them, the page waits for the engine. */
export const load = (): Promise<Record<string, unknown>> => (loaded ??= fetch(preparedURL).then((response) => (response.ok ? response.json() : {})).catch(() => ({})));

/** prepared returns the result for a request, undefined if there is none. The caller may modify it. */
export async function prepared(request: string): Promise<unknown> {
  const answer = (await load())[keyOf(request)];
  return answer === undefined ? undefined : structuredClone(answer);
}
