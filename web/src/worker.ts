// The engine's thread: it loads the WebAssembly module and answers requests, so
// that the page never waits for it.
import "../generated/wasm_exec.js";
import engineURL from "../generated/engine.wasm?url";
import { engineBytes } from "../generated/engine";

interface GoRuntime {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}
interface EngineScope {
  Go: new () => GoRuntime;
  patchlab?: (request: Uint8Array) => Uint8Array;
  /** Lets the engine collect its garbage, which takes longer than an answer. */
  patchlabIdle?: () => void;
  patchlabReady?: () => void;
}

export type ToWorker = { id: number; request: Uint8Array };
export type FromWorker =
  | { kind: "progress"; done: number }
  | { kind: "ready" }
  | { kind: "failed"; message: string }
  | { kind: "answer"; id: number; response: Uint8Array; milliseconds: number };

const scope = globalThis as unknown as EngineScope;
const send = (message: FromWorker) => postMessage(message);

/** counted passes a response on and tells how much of it has come. */
function counted(response: Response): Response {
  let bytes = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length;
      send({ kind: "progress", done: Math.min(bytes / engineBytes, 1) });
      controller.enqueue(chunk);
    },
  });
  // The type is set here, so that a host that does not know .wasm serves as well.
  return new Response(response.body!.pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}

let ready: Promise<void>;
let module: WebAssembly.Module;

async function load(): Promise<void> {
  const response = await fetch(engineURL);
  if (!response.ok || !response.body) {
    throw new Error(`the engine could not be loaded: the host answers ${response.status}`);
  }
  module = await WebAssembly.compileStreaming(counted(response));
  await begin();
}

/** begin starts an engine of the module. */
async function begin(): Promise<void> {
  const go = new scope.Go();
  const instance = await WebAssembly.instantiate(module, go.importObject);
  await new Promise<void>((resolve, reject) => {
    scope.patchlabReady = resolve;
    go.run(instance).then(() => reject(new Error("the engine has ended")), reject);
  });
}

/** answer asks the engine. What ends it, such as a stack that is too small, is an error like others, and a new engine goes on. */
function answer(request: Uint8Array): Uint8Array {
  try {
    return scope.patchlab!(request);
  } catch (error) {
    ready = begin();
    const message = `The engine could not follow this and was started anew: ${error instanceof Error ? error.message : error}`;
    return new TextEncoder().encode(JSON.stringify({ error: { message, line: 0, column: 0 } }));
  }
}

/** How long nothing must be asked before the engine collects its garbage. */
const idle = 50;
let timer: ReturnType<typeof setTimeout> | undefined;

onmessage = async (event: MessageEvent<ToWorker>) => {
  clearTimeout(timer);
  await ready;
  const begun = performance.now();
  const response = answer(event.data.request);
  send({ kind: "answer", id: event.data.id, response, milliseconds: performance.now() - begun });
  timer = setTimeout(() => scope.patchlabIdle?.(), idle);
};

ready = load();
ready.then(() => send({ kind: "ready" }), (error: unknown) => send({ kind: "failed", message: String(error instanceof Error ? error.message : error) }));
