// The page's state as text: in the address, and in the browser's storage.
import type { Actor, Scenario, Step } from "./messages";

/** State is all that a link carries. */
export interface State {
  scenario: Scenario;
  /** How many steps are shown as run. */
  at: number;
}

const prefix = "#v1=";
/** The largest state that a link may hold, unpacked: more is no scenario. */
const maxBytes = 16 << 20;

function base64url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
}

async function all(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > maxBytes) throw new Error("it unpacks to more than 16 MiB");
    chunks.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** toFragment packs a state for the part of an address behind the #. */
export async function toFragment(state: State): Promise<string> {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return prefix + base64url(await all(stream));
}

/** fromFragment unpacks a state; null where the fragment is no shared state at all. */
export async function fromFragment(fragment: string): Promise<State | null> {
  if (!fragment.startsWith(prefix)) return null;
  try {
    const stream = new Blob([fromBase64url(fragment.slice(prefix.length))]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await all(stream));
    return checked(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error && error.message.startsWith("it ") ? ` (${error.message})` : "";
    throw new Error(`This link is cut short or damaged${why}. What you had is still here.`);
  }
}

/** checked makes a state of what came from outside: what is missing is empty, what is wrong is refused. */
export function checked(value: unknown): State {
  const from = object(value);
  const scenario = object(from.scenario);
  const state: State = {
    scenario: {
      title: text(scenario.title), about: text(scenario.about), kubernetes: text(scenario.kubernetes),
      definitions: list(scenario.definitions).map(text),
      objects: list(scenario.objects).map(text),
      actors: list(scenario.actors).map((a): Actor => ({ name: text(object(a).name), colour: text(object(a).colour) })),
      steps: list(scenario.steps).map(step),
    },
    at: typeof from.at === "number" && Number.isInteger(from.at) ? from.at : 0,
  };
  state.at = Math.min(Math.max(state.at, 0), state.scenario.steps.length);
  return state;
}

function step(value: unknown): Step {
  const s = object(value);
  const t = object(s.target ?? {});
  return {
    actor: text(s.actor), do: text(s.do), subresource: text(s.subresource), body: text(s.body), note: text(s.note),
    target: { apiVersion: text(t.apiVersion), kind: text(t.kind), namespace: text(t.namespace), name: text(t.name) },
  };
}

function object(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("it is of another form");
  return value as Record<string, unknown>;
}

function list(value: unknown): unknown[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new Error("it is of another form");
  return value;
}

function text(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value !== "string") throw new Error("it is of another form");
  return value;
}

const storageKey = "patchlab.playground.v1";
const beforeKey = "patchlab.playground.v1.before";

/** keep writes a state to the browser's storage; one too large or a full storage is no failure of the page. */
export function keep(state: State, key = storageKey): boolean {
  try {
    localStorage.setItem(key, JSON.stringify(state));
    return true;
  } catch {
    return false;
  }
}

/** kept reads it back, null where there is none that can be read. */
export function kept(key = storageKey): State | null {
  try {
    const stored = localStorage.getItem(key);
    return stored === null ? null : checked(JSON.parse(stored));
  } catch {
    return null;
  }
}

/** What stood on the page before something else was opened. */
export const keepBefore = (state: State): boolean => keep(state, beforeKey);
export const keptBefore = (): State | null => kept(beforeKey);
