// The engine's thread: it loads the WebAssembly module and answers requests, so
// that the page never waits for it.
import catalogURL from "@patchlab/engine/catalog.bin?url";
import completeURL from "@patchlab/engine/engine.wasm?url";
import { Runtime } from "@patchlab/engine/runtime";
import { completeBytes, firstBytes } from "../generated/engine";
import firstURL from "../generated/engine.wasm?url";

export type ToWorker = { kind: "ask"; id: number; request: Uint8Array } | { kind: "complete" };
export type FromWorker =
  | { kind: "progress"; done: number; complete: boolean }
  | { kind: "ready" }
  | { kind: "failed"; message: string }
  | { kind: "completed" }
  | { kind: "incomplete"; message: string }
  | { kind: "answer"; id: number; response: Uint8Array; milliseconds: number };

const send = (message: FromWorker) => postMessage(message);

/** counted passes a response on and tells how much of it has come. */
function counted(response: Response, complete: boolean): Response {
  const all = complete ? completeBytes : firstBytes;
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      send({ kind: "progress", done: Math.min(bytes / all, 1), complete });
      controller.enqueue(chunk);
    },
  });
  // The type is set here, so that a host that does not know .wasm serves as well.
  return new Response(response.body!.pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}

async function get(url: string): Promise<Response> {
  const response = await fetch(url);
  if (!response.ok || !response.body) {
    throw new Error(`the engine could not be loaded: the host answers ${response.status}`);
  }
  return response;
}

/** The built-in kinds, which both engines read. */
const catalog = get(catalogURL).then(async (response) => new Uint8Array(await response.arrayBuffer()));

async function load(url: string, complete: boolean): Promise<Runtime> {
  const module = get(url).then((response) => WebAssembly.compileStreaming(counted(response, complete)));
  const [compiled, kinds] = await Promise.all([module, catalog]);
  return Runtime.start(compiled, kinds);
}

/** answer asks the engine. What ends it, such as a stack that is too small, is an error like others, and a new engine goes on. */
function answer(runtime: Runtime, request: Uint8Array): Uint8Array {
  try {
    return runtime.answer(request);
  } catch (error) {
    return new TextEncoder().encode(JSON.stringify({ error: { message: (error as Error).message, line: 0, column: 0 } }));
  }
}

/** How long nothing must be asked before the engine collects its garbage. */
const idle = 50;
let timer: ReturnType<typeof setTimeout> | undefined;

/** ask answers a request with the engine that is there. A request holds all that the answer is about, so that it does not matter which engine answered those before. */
async function ask(id: number, request: Uint8Array): Promise<void> {
  clearTimeout(timer);
  const runtime = await engine;
  await runtime.ready;
  const begun = performance.now();
  const response = answer(runtime, request);
  send({ kind: "answer", id, response, milliseconds: performance.now() - begun });
  timer = setTimeout(() => runtime.idle(), idle);
}

/** complete puts the complete engine in the place of the first. */
async function complete(): Promise<void> {
  try {
    await engine;
    const better = await load(completeURL, true);
    engine = Promise.resolve(better);
    send({ kind: "completed" });
  } catch (error) {
    send({ kind: "incomplete", message: reason(error) });
  }
}

const reason = (error: unknown): string => String(error instanceof Error ? error.message : error);

onmessage = (event: MessageEvent<ToWorker>) => void (event.data.kind === "ask" ? ask(event.data.id, event.data.request) : complete());

let engine = load(firstURL, false);
engine.then(() => send({ kind: "ready" }), (error: unknown) => send({ kind: "failed", message: reason(error) }));
