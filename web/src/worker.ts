// The engine's thread: it loads the WebAssembly module and answers requests, so
// that the page never waits for it.
import catalogURL from "@patchlab/engine/catalog.bin?url";
import completeURL from "@patchlab/engine/engine.wasm?url";
import { Runtime } from "@patchlab/engine/runtime";
import { completeBytes, firstBytes, rulesBytes } from "../generated/engine";
import firstURL from "../generated/engine.wasm?url";
import rulesURL from "../generated/rules.wasm?url";
import { keptName } from "./workername";

/** The engines. Each of them can process all requests that the previous ones can. */
const modules = {
  first: { rank: 0, url: firstURL, bytes: firstBytes },
  complete: { rank: 1, url: completeURL, bytes: completeBytes },
  rules: { rank: 2, url: rulesURL, bytes: rulesBytes },
};

export type EngineName = keyof typeof modules;
/** An engine that is loaded later and replaces the first. */
export type LaterEngine = Exclude<EngineName, "first">;

export type ToWorker = { kind: "ask"; id: number; request: Uint8Array } | { kind: "load"; engine: LaterEngine };
export type FromWorker =
  | { kind: "progress"; engine: EngineName; done: number }
  | { kind: "ready" }
  | { kind: "failed"; message: string }
  | { kind: "loaded"; engine: LaterEngine }
  | { kind: "unloaded"; engine: LaterEngine; message: string }
  | { kind: "answer"; id: number; response: Uint8Array; milliseconds: number };

const send = (message: FromWorker) => postMessage(message);

/** The content type is set here, for hosts that do not know .wasm. */
const wasm = { headers: { "Content-Type": "application/wasm" } };

/** typed returns a response with the content type that compileStreaming requires. Browsers cache compiled code only for the response of fetch itself. */
const typed = (response: Response): Response =>
  response.headers.get("Content-Type") === "application/wasm" ? response : new Response(response.body, wasm);

/** counted passes a response through and reports the progress, except for the first engine if the service worker has it. */
function counted(response: Response, engine: EngineName): Response {
  if (engine === "first" && self.name === keptName) return typed(response);
  const all = modules[engine].bytes;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      send({ kind: "progress", engine, done: Math.min(bytes / all, 1) });
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body!.pipeThrough(count), wasm);
}

async function get(url: string): Promise<Response> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new Error(`the host cannot be reached (${reason(error)})`);
  });
  if (!response.ok || !response.body) {
    throw new Error(
      `the host answers ${response.status}${response.status === 406 ? `, ${(await response.text()).trim()}` : ""}`,
    );
  }
  return response;
}

/** The built-in kinds, which all engines read. */
const catalog = get(catalogURL).then(async (response) => new Uint8Array(await response.arrayBuffer()));

async function load(engine: EngineName): Promise<Runtime> {
  const module = get(modules[engine].url).then((response) => WebAssembly.compileStreaming(counted(response, engine)));
  const [compiled, kinds] = await Promise.all([module, catalog]);
  return Runtime.start(compiled, kinds);
}

/** answer sends a request to the engine. If the engine exits, for example for lack of stack, that is an error and a new engine is started. */
function answer(runtime: Runtime, request: Uint8Array): Uint8Array {
  try {
    return runtime.answer(request);
  } catch (error) {
    return new TextEncoder().encode(
      JSON.stringify({ error: { message: (error as Error).message, line: 0, column: 0 } }),
    );
  }
}

/** The time in milliseconds after the last request until the engine collects garbage. */
const idle = 50;
let timer: ReturnType<typeof setTimeout> | undefined;

/** ask processes a request with the current engine. A request contains the complete state, so it can follow requests to another engine. */
async function ask(id: number, request: Uint8Array): Promise<void> {
  clearTimeout(timer);
  const runtime = await engine;
  await runtime.ready;
  const begun = performance.now();
  const response = answer(runtime, request);
  send({ kind: "answer", id, response, milliseconds: performance.now() - begun });
  timer = setTimeout(() => runtime.idle(), idle);
}

/** replace replaces the current engine with a later one, unless the current one can process more. */
async function replace(name: LaterEngine): Promise<void> {
  const { rank } = modules[name];
  try {
    await engine;
    if (rank > current) {
      const later = await load(name);
      if (rank > current) [engine, current] = [Promise.resolve(later), rank];
    }
    send({ kind: "loaded", engine: name });
  } catch (error) {
    send({ kind: "unloaded", engine: name, message: reason(error) });
  }
}

const reason = (error: unknown): string => String(error instanceof Error ? error.message : error);

onmessage = (event: MessageEvent<ToWorker>) =>
  void (event.data.kind === "ask" ? ask(event.data.id, event.data.request) : replace(event.data.engine));

let engine = load("first");
/** The rank of the current engine. */
let current = modules.first.rank;
engine.then(
  () => send({ kind: "ready" }),
  (error: unknown) => send({ kind: "failed", message: reason(error) }),
);
