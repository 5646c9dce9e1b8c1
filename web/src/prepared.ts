// Results for the start page and the examples, which the complete engine computed when the page
// was built (scripts/prepare.mjs). They are looked up by the whole request, so that a result is
// never used for another input. Those that the page shows first are part of its script, so that it
// need not wait for another file.
import preparedURL from "../generated/prepared.json?url";
import start from "../generated/start.json";
import type { Scenario } from "./messages";
import { keyOf } from "./preparedkey";

/** The scenario that the page shows to a first visitor. */
export const firstScenario: Scenario = start.scenario;

const first: Record<string, unknown> = start.answers;

let loaded: Promise<Record<string, unknown>> | undefined;

/** load loads the other results. Without them, the page waits for the engine. */
export const load = (): Promise<Record<string, unknown>> =>
  (loaded ??= fetch(preparedURL)
    .then((response) => (response.ok ? response.json() : {}))
    .catch(() => ({})));

/** prepared returns the result for a request, undefined if there is none. The caller may modify it. */
export async function prepared(request: string): Promise<unknown> {
  const key = keyOf(request);
  const answer = first[key] ?? (await load())[key];
  return answer === undefined ? undefined : structuredClone(answer);
}
