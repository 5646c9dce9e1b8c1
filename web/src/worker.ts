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

async function start(): Promise<void> {
  const response = await fetch(engineURL);
  if (!response.ok || !response.body) {
    throw new Error(`the engine could not be loaded: the host answers ${response.status}`);
  }
  const go = new scope.Go();
  const { instance } = await WebAssembly.instantiateStreaming(counted(response), go.importObject);
  await new Promise<void>((ready, reject) => {
    scope.patchlabReady = ready;
    go.run(instance).then(() => reject(new Error("the engine has ended")), reject);
  });
  send({ kind: "ready" });
}

onmessage = (event: MessageEvent<ToWorker>) => {
  const begun = performance.now();
  const response = scope.patchlab!(event.data.request);
  send({ kind: "answer", id: event.data.id, response, milliseconds: performance.now() - begun });
};

start().catch((error: unknown) => send({ kind: "failed", message: String(error instanceof Error ? error.message : error) }));
