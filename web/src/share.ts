// The state of the page as text, in the address and in the browser's storage.
import type { Actor, Step } from "./messages";
import { forget } from "./remembered";
import type { State } from "./state";

const prefix = "#v1=";
const laterPrefix = /^#v([2-9]|[1-9]\d+)=/;
/** The maximum number of steps, which is that of scenario files. */
const mostSteps = 1000;
/** The maximum size of the uncompressed state in a link. */
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
  for (const reader = stream.getReader(); ;) {
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

/** toFragment encodes a state as the fragment of an address. */
export async function toFragment(state: State): Promise<string> {
  const { scenario, ...rest } = state;
  const { steps, race, ...head } = scenario;
  const whole = {
    scenario: {
      ...head,
      steps: steps.map(({ expect, ...step }) => (expect ? { ...step, expect: JSON.parse(expect) as unknown } : step)),
      race: race.map((change) => JSON.parse(change) as unknown),
    },
    ...rest,
  };
  const stream = new Blob([JSON.stringify(whole)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return prefix + base64url(await all(stream));
}

/** fromFragment decodes a state; null if the fragment does not contain one. */
export async function fromFragment(fragment: string): Promise<State | null> {
  if (laterPrefix.test(fragment))
    throw new Error(
      "This link is of a later version of this page. Reload the page to get its latest version. Your scenario is unchanged.",
    );
  if (!fragment.startsWith(prefix)) return null;
  try {
    const stream = new Blob([fromBase64url(fragment.slice(prefix.length))])
      .stream()
      .pipeThrough(new DecompressionStream("deflate-raw"));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await all(stream));
    return checked(JSON.parse(text));
  } catch (error) {
    const why = error instanceof Error && error.message.startsWith("it ") ? error.message : "";
    const what = why.includes("steps") ? `cannot be opened: ${why}` : `is incomplete or damaged${why && ` (${why})`}`;
    throw new Error(`This link ${what}. Your scenario is unchanged.`);
  }
}

/** checked validates a state from a link or a file. Missing parts become empty; invalid parts are refused. */
export function checked(value: unknown): State {
  const from = object(value);
  const scenario = object(from.scenario);
  const state: State = {
    scenario: {
      title: text(scenario.title),
      about: text(scenario.about),
      kubernetes: text(scenario.kubernetes),
      definitions: list(scenario.definitions).map(text),
      objects: list(scenario.objects).map(text),
      actors: list(scenario.actors).map((a): Actor => ({ name: text(object(a).name), colour: text(object(a).colour) })),
      steps: list(scenario.steps).map(step),
      race: list(scenario.race).map(json),
    },
    at: count(from.at),
    object: count(from.object),
  };
  if (state.scenario.steps.length > mostSteps)
    throw new Error(`it has ${state.scenario.steps.length} steps, more than the ${mostSteps} that a scenario may have`);
  state.at = Math.min(Math.max(state.at, 0), state.scenario.steps.length);
  return state;
}

const count = (value: unknown): number =>
  typeof value === "number" && Number.isInteger(value) && value > 0 ? value : 0;

function step(value: unknown): Step {
  const s = object(value);
  const t = object(s.target ?? {});
  return {
    actor: text(s.actor),
    do: text(s.do),
    subresource: text(s.subresource),
    body: text(s.body),
    note: text(s.note),
    expect: json(s.expect),
    target: { apiVersion: text(t.apiVersion), kind: text(t.kind), namespace: text(t.namespace), name: text(t.name) },
  };
}

/** json returns an expectation or a change of a race as text. A link contains it as in the scenario file. */
function json(value: unknown): string {
  if (value === undefined || typeof value === "string") return value ?? "";
  return JSON.stringify(object(value));
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

/**
 * Each tab keeps its state in the session storage, so that tabs do not overwrite each other. A
 * new tab starts with the most recent state of all tabs, which is in the local storage.
 */
const stores = [() => sessionStorage, () => localStorage];

/**
 * keep writes a state to the browser's storage. It returns "browser" if the next tab finds it, "tab" if
 * only a reload of this tab does, and "" if the storage is full or forbidden.
 */
export function keep(state: State): "browser" | "tab" | "" {
  const text = JSON.stringify(state);
  const tab = () => sessionStorage;
  const inTab = put(tab, storageKey, text);
  if (keepInBrowser(storageKey, text)) {
    if (!inTab) put(tab, storageKey, null); // an earlier state, which a reload would prefer
    return "browser";
  }
  return inTab ? "tab" : "";
}

/** keepInBrowser writes a text to the local storage, and reports whether that succeeded. Results that can be computed again make room for it. */
export function keepInBrowser(key: string, text: string): boolean {
  const browser = () => localStorage;
  return put(browser, key, text) || (forget(), put(browser, key, text));
}

/** put writes a text to a store, or removes it, and reports whether that succeeded. */
function put(store: () => Storage, key: string, text: string | null): boolean {
  try {
    if (text === null) store().removeItem(key);
    else store().setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

/** kept reads the state from the browser's storage; null if there is no valid one. */
export function kept(): State | null {
  for (const store of stores) {
    try {
      const text = store().getItem(storageKey);
      if (text !== null) return checked(JSON.parse(text));
    } catch {
      // Invalid contents are treated as absent.
    }
  }
  return null;
}

/** setting reads or writes a setting, such as the theme, that is not part of the state. */
export function setting(name: string, value?: string): string {
  try {
    if (value !== undefined) localStorage.setItem(`patchlab.playground.${name}`, value);
    return localStorage.getItem(`patchlab.playground.${name}`) ?? "";
  } catch {
    return value ?? "";
  }
}
