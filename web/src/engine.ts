// The page's side of the engine: typed questions to the worker.
import type { Calls, Failure } from "./messages";
import type { FromWorker } from "./worker";

/** EngineError is a failure that the engine tells, with its place where known. */
export class EngineError extends Error {
  readonly line: number;
  readonly column: number;
  constructor(failure: Failure) {
    super(failure.message);
    this.line = failure.line;
    this.column = failure.column;
  }
}

export interface Watcher {
  progress(done: number): void;
  ready(): void;
  failed(message: string): void;
}

interface Waiting {
  resolve(response: Uint8Array): void;
  reject(error: Error): void;
}

/** How long an answer may take before the engine is begun anew. */
const patience = 20_000;

export class Engine {
  #worker!: Worker;
  #ready!: Promise<void>;
  #next = 1;
  #waiting = new Map<number, Waiting>();
  #watcher: Watcher;

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
    this.#start();
  }

  #start(): void {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "patchlab engine" });
    this.#worker = worker;
    this.#ready = new Promise((resolve, reject) => {
      const fail = (message: string) => {
        this.#watcher.failed(message);
        reject(new Error(message));
      };
      let started = false;
      worker.onerror = (event) => {
        if (started) this.#restart("The engine ended and was started anew.");
        else fail(event.message || "the engine's thread could not be started");
      };
      worker.onmessage = (event: MessageEvent<FromWorker>) => {
        const message = event.data;
        if (message.kind === "progress") this.#watcher.progress(message.done);
        else if (message.kind === "failed") fail(message.message);
        else if (message.kind === "ready") {
          started = true;
          this.#watcher.ready();
          resolve();
        } else {
          (globalThis as { patchlabMilliseconds?: number }).patchlabMilliseconds = message.milliseconds; // for the test of the speed budget
          this.#waiting.get(message.id)?.resolve(message.response);
          this.#waiting.delete(message.id);
        }
      };
    });
    this.#ready.catch(() => undefined); // told to the watcher, and to whoever asks
  }

  #restart(why: string): void {
    this.#worker.terminate();
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(why));
    this.#waiting.clear();
    this.#start();
  }

  /** ask sends a question. It fails with an EngineError where the engine says why. */
  async ask<K extends keyof Calls>(call: K, input: Calls[K]["input"]): Promise<Calls[K]["output"]> {
    await this.#ready;
    const request = new TextEncoder().encode(JSON.stringify({ call, input }));
    const id = this.#next++;
    const timer = setTimeout(() => this.#restart("The engine took too long and was started anew."), patience);
    try {
      const response = await new Promise<Uint8Array>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject });
        this.#worker.postMessage({ id, request }, [request.buffer]);
      });
      const answer = JSON.parse(new TextDecoder().decode(response)) as { output: Calls[K]["output"] } | { error: Failure };
      if ("error" in answer) throw new EngineError(answer.error);
      return answer.output;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Latest asks one question at a time and of those that wait only the last. */
export class Latest {
  #busy = false;
  #next: (() => Promise<void>) | undefined;

  async run(task: () => Promise<void>): Promise<void> {
    this.#next = task;
    if (this.#busy) return;
    this.#busy = true;
    try {
      while (this.#next) {
        const now = this.#next;
        this.#next = undefined;
        await now();
      }
    } finally {
      this.#busy = false;
    }
  }
}
