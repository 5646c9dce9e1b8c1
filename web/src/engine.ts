// The page's interface to the engine in the worker. The worker starts with a small engine,
// which larger ones replace later.
import type { Calls, Failure, Row, RunOutput } from "./messages";
import { load, prepared } from "./prepared";
import { recall, remembered } from "./remembered";
import { keptName } from "./workername";
import type { FromWorker, LaterEngine, ToWorker } from "./worker";

/** An EngineError is an error from the engine, with the position in the input if it is known. */
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
  /** Called while a later engine loads, when it is ready, and when it could not be loaded. */
  loading(engine: LaterEngine, done: number): void;
  loaded(engine: LaterEngine): void;
  unloaded(engine: LaterEngine, message: string): void;
}

interface Waiting {
  call: keyof Calls;
  resolve(response: Uint8Array): void;
  reject(error: Error): void;
}

/** The time in milliseconds that a response may take before the engine is restarted, and the additional time for each byte of the request. */
const patience = 20_000;
const patiencePerByte = 0.002;

/** The time in milliseconds after which the engine is started even if no result is shown. */
const resultPause = 2000;

/** The minimum length of texts that are sent once and then referred to by number. */
const long = 1024;

type Answer<K extends keyof Calls> =
  { output: Calls[K]["output"] } | { error: Failure } | { later: true } | { unknown: true };

/** Whether a service worker controls the page and thus has its files. */
const kept = (navigator as Partial<Navigator>).serviceWorker?.controller != null;

export class Engine {
  #worker!: Worker;
  #ready!: Promise<void>;
  #started = false;
  /** The later engines that were requested. */
  #later = new Map<LaterEngine, { loaded: Promise<void>; settle: (error?: Error) => void }>();
  #next = 1;
  #waiting = new Map<number, Waiting>();
  #watcher: Watcher;
  /** The numbers of the long texts in the last request, which the engine still has. */
  #texts = new Map<string, number>();
  #numbered = 0;
  /** The rows of the last run, with the number of its request. */
  #rows: { number: number; rows: Row[] } = { number: 0, rows: [] };

  constructor(watcher: Watcher) {
    this.#watcher = watcher;
    this.#ready = new Promise<void>((begin) => (this.begin = begin)).then(() => {
      if (!kept) void load(); // before the engine, which is a hundred times as large
      return this.#start();
    });
    this.#ready.catch(() => undefined); // reported to the watcher, and to every caller
    // Stored or prepared results are shown before the engine is started, which takes the time of
    // all processors. It is started at once if only the engine can have the first result and the
    // service worker has its files.
    if (recall() || !kept) setTimeout(() => this.begin(), resultPause);
    else this.begin();
  }

  /** begin starts the engine. It is called when the first result is shown, or needed; later calls have no effect. */
  begin: () => void = () => undefined;

  /** Whether the engine is running, so that it can respond to a change immediately. */
  get started(): boolean {
    return this.#started;
  }

  #start(): Promise<void> {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      type: "module",
      name: kept ? keptName : "patchlab engine",
    });
    this.#worker = worker;
    this.#started = false;
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        const message = `The engine could not be started: ${why}. Reload the page to try again.`;
        this.#watcher.failed(message);
        reject(new Error(message));
      };
      worker.onerror = (event) => {
        if (this.#started) this.#restart("The engine stopped and was restarted.");
        else fail(event.message || "the engine's thread could not be started");
      };
      worker.onmessage = (event: MessageEvent<FromWorker>) => {
        const message = event.data;
        if (message.kind === "failed") fail(message.message);
        else if (message.kind === "ready") {
          this.#started = true;
          this.#watcher.ready();
          resolve();
        } else this.#receive(message);
      };
    });
  }

  #receive(message: FromWorker): void {
    switch (message.kind) {
      case "progress":
        if (message.engine === "first") this.#watcher.progress(message.done);
        else this.#watcher.loading(message.engine, message.done);
        break;
      case "loaded":
        this.#later.get(message.engine)?.settle();
        this.#watcher.loaded(message.engine);
        break;
      case "unloaded":
        this.#later.get(message.engine)?.settle(new Error(message.message));
        this.#later.delete(message.engine); // the next one who needs it tries again
        this.#watcher.unloaded(message.engine, message.message);
        break;
      case "answer": {
        const waiting = this.#waiting.get(message.id);
        if (waiting?.call === "run")
          (globalThis as { patchlabMilliseconds?: number }).patchlabMilliseconds = message.milliseconds; // for the test of the speed budget
        waiting?.resolve(message.response);
        this.#waiting.delete(message.id);
      }
    }
  }

  #restart(why: string): void {
    this.#worker.terminate();
    this.#texts.clear();
    for (const waiting of this.#waiting.values()) waiting.reject(new Error(why));
    this.#waiting.clear();
    this.#ready = this.#start();
    this.#ready.catch(() => undefined);
    const later = [...this.#later];
    this.#later.clear();
    for (const [engine, { settle }] of later) {
      settle(new Error(why));
      this.load(engine).catch(() => undefined); // the watcher is notified
    }
  }

  /** abandon restarts the engine if it only processes requests of a call, whose responses are no longer needed. */
  abandon(call: keyof Calls): void {
    const waiting = [...this.#waiting.values()];
    if (waiting.length > 0 && waiting.every((w) => w.call === call)) this.#restart("The request was abandoned.");
  }

  #send(message: ToWorker, transfer: Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** load loads a later engine once. Until it is ready, the previous one processes requests. */
  load(engine: LaterEngine): Promise<void> {
    const known = this.#later.get(engine);
    if (known) return known.loaded;
    let settle: (error?: Error) => void = () => undefined;
    const loaded = new Promise<void>((resolve, reject) => (settle = (error) => (error ? reject(error) : resolve())));
    loaded.catch(() => undefined); // reported to the watcher, and to every caller
    this.#later.set(engine, { loaded, settle });
    this.#ready.then(() => this.#send({ kind: "load", engine }), settle);
    return loaded;
  }

  /** ask sends a request. It throws an EngineError if the engine reports one. */
  async ask<K extends keyof Calls>(call: K, input: Calls[K]["input"]): Promise<Calls[K]["output"]> {
    if (reads.has(call) || !this.#started) {
      const request = JSON.stringify({ call, input });
      const known = remembered(request) ?? (await prepared(request));
      if (known !== undefined) return known as Calls[K]["output"];
    }
    this.begin();
    let answer = await this.#answer(call, input);
    if ("later" in answer) {
      await this.load("complete");
      answer = await this.#answer(call, input);
    }
    if ("error" in answer) throw new EngineError(answer.error);
    if (!("output" in answer)) throw new Error("the complete engine does not know the question");
    return answer.output;
  }

  /** #answer sends a request to the engine. An engine that was just started has no texts and gets all of them. */
  async #answer<K extends keyof Calls>(call: K, input: Calls[K]["input"]): Promise<Answer<K>> {
    const answer = await this.#exchange(call, input);
    if (!("unknown" in answer)) return answer;
    this.#texts.clear();
    return this.#exchange(call, input);
  }

  async #exchange<K extends keyof Calls>(call: K, input: Calls[K]["input"]): Promise<Answer<K>> {
    await this.#ready;
    const id = this.#next++;
    const have = this.#rows;
    const bytes = new TextEncoder().encode(
      this.#request(call, input, call === "run" ? { number: id, have: have.number } : undefined),
    );
    const timer = setTimeout(
      () => this.#restart("The engine took too long and was restarted."),
      patience + bytes.length * patiencePerByte,
    );
    try {
      const response = await new Promise<Uint8Array>((resolve, reject) => {
        this.#waiting.set(id, { call, resolve, reject });
        this.#send({ kind: "ask", id, request: bytes }, [bytes.buffer]);
      });
      const answer = JSON.parse(new TextDecoder().decode(response)) as Answer<K>;
      if (call === "run" && "output" in answer)
        this.#rows = { number: id, rows: whole(answer.output as RunOutput, have.rows) };
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** #request encodes a request, with the long texts that the previous one did not contain. */
  #request(call: keyof Calls, input: unknown, rows?: { number: number; have: number }): string {
    const used = new Map<string, number>();
    const texts: { id: number; text: string }[] = [];
    const refer = (_: string, value: unknown): unknown => {
      if (typeof value !== "string" || value.length < long) return value;
      let id = used.get(value) ?? this.#texts.get(value);
      if (id === undefined) texts.push({ id: (id = ++this.#numbered), text: value });
      used.set(value, id);
      return { text: id };
    };
    const body = JSON.stringify(input, refer);
    this.#texts = used;
    return `{"call":${JSON.stringify(call)},"rows":${JSON.stringify(rows ?? {})},"texts":${JSON.stringify(texts)},"input":${body}}`;
  }
}

/** whole adds the rows that a response omits because the page already has them. */
function whole(output: RunOutput, have: Row[]): Row[] {
  const { keptBefore, keptAfter } = output;
  if (keptBefore + keptAfter > 0)
    output.rows = [...have.slice(0, keptBefore), ...output.rows, ...have.slice(have.length - keptAfter)];
  output.keptBefore = output.keptAfter = 0;
  return output.rows;
}

/** Calls that read a text and run nothing: all examples and lessons are prepared. */
const reads: ReadonlySet<keyof Calls> = new Set(["import", "lesson"]);

/** Latest runs one task at a time, and only the last of those that are waiting. */
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
