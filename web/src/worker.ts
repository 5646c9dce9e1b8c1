// The engine's thread: it loads the WebAssembly module and answers requests, so
// that the page never waits for it.
import { Runtime } from "@patchlab/engine/runtime";
import engineURL from "../generated/engine.wasm?url";
import { engineBytes } from "../generated/engine";

export type ToWorker = { id: number; request: Uint8Array };
export type FromWorker =
  | { kind: "progress"; done: number }
  | { kind: "ready" }
  | { kind: "failed"; message: string }
  | { kind: "answer"; id: number; response: Uint8Array; milliseconds: number };

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

async function load(): Promise<Runtime> {
  const response = await fetch(engineURL);
  if (!response.ok || !response.body) {
    throw new Error(`the engine could not be loaded: the host answers ${response.status}`);
  }
  return Runtime.start(await WebAssembly.compileStreaming(counted(response)));
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

onmessage = async (event: MessageEvent<ToWorker>) => {
  clearTimeout(timer);
  const runtime = await loaded;
  await runtime.ready;
  const begun = performance.now();
  const response = answer(runtime, event.data.request);
  send({ kind: "answer", id: event.data.id, response, milliseconds: performance.now() - begun });
  timer = setTimeout(() => runtime.idle(), idle);
};

const loaded = load();
loaded.then(() => send({ kind: "ready" }), (error: unknown) => send({ kind: "failed", message: String(error instanceof Error ? error.message : error) }));
