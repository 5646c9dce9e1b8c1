// What becomes of objects, as data.
import type { Explained as ExplainedMessage, Failure, FieldOwner, LabCalls, LabChange, LabChangeOutput, LabConflict, Manager, RefusedField, Target, Way } from "./messages.js";
import type { Runtime } from "./runtime.js";

export type { Manager, RefusedField, Target, Way };

/** A value of JSON. Integers beyond 2^53 lose digits in it, as in JSON.parse; the YAML of an Outcome has them all. */
export type Value = any; // eslint-disable-line @typescript-eslint/no-explicit-any

/** An object or a patch: YAML or JSON as text, or a value. */
export type Input = string | Value[] | { [name: string]: Value };

export interface LabOptions {
  /** The version of the built-in kinds, such as "1.36"; the newest by default. */
  kubernetes?: string;
  /** CustomResourceDefinitions, YAML or JSON. */
  definitions?: string[];
}

export interface ChangeOptions {
  /** The manager's name; kubectl's own for the kind of change by default. */
  fieldManager?: string;
  /** "" for the object itself, or status, scale and others that its kind has. */
  subresource?: string;
  /** What becomes of unknown and duplicate fields; "Strict" by default. */
  fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** The namespace of a manifest that names none. */
  namespace?: string;
}

export interface ApplyOptions extends ChangeOptions {
  /** Takes over fields that others own. */
  force?: boolean;
}

export interface PatchOptions extends ChangeOptions {
  /** By default, a list is a JSON patch, and an object a strategic merge patch for a built-in kind and a merge patch for a custom resource. */
  type?: "json" | "merge" | "strategic";
}

/** A field that managedFields name, with its managers. */
export interface FieldOwners {
  path: string;
  managers: Manager[];
}

/** A field that differs. A value is undefined where there is none. */
export interface Change {
  path: string;
  effect: "set" | "removed" | "taken over" | "shared" | "given up";
  before: Value;
  after: Value;
  ownersBefore: string[];
  ownersAfter: string[];
}

/** A field that an apply would change while another manager owns it. */
export interface Conflict {
  path: string;
  manager: Manager;
  live: Value;
  wanted: Value;
  /** The field's place in the applied manifest, 0 where it is not known. */
  line: number;
  column: number;
  /** The ways to resolve the conflict. */
  ways: Way[];
}

/** A field and how it merges. */
export interface Explained {
  path: string;
  value: Value;
  /** The line of the object's YAML without managedFields. */
  line: number;
  merges: string;
  managers: Manager[];
}

/** What becomes of an object. */
export interface Outcome {
  /** Whether the change is made. It is false for conflicts alone: other refusals are thrown. */
  ok: boolean;
  /** The object after the change with its managedFields; null where there are conflicts. */
  object: Value;
  /** The object after the change as YAML, "" where there are conflicts. */
  yaml: string;
  target: Target;
  action: string;
  fieldManager: string;
  created: boolean;
  changed: boolean;
  owners: FieldOwners[];
  changes: Change[];
  conflicts: Conflict[];
  warnings: string[];
  /** What was found out or assumed: the kind of change, the namespace, a kind without a schema. */
  notes: string[];
}

/** An input that cannot be read. */
export class LabError extends Error {
  override readonly name: string = "LabError";
  /** The place in the input, 0 where it is not known. */
  readonly line: number;
  readonly column: number;
  constructor(failure: Failure) {
    super(failure.message);
    this.line = failure.line;
    this.column = failure.column;
  }
}

/** A change that the API server would refuse, or that is not sent at all. */
export class RefusedError extends LabError {
  override readonly name = "RefusedError";
  /** The API server's status code and reason, 0 and "" where it is not asked. */
  readonly code: number;
  readonly reason: string;
  readonly target: Target;
  readonly action: string;
  /** The fields, or options, that are wrong. */
  readonly fields: RefusedField[];
  constructor(output: LabChangeOutput) {
    super(output.refusal!);
    this.code = output.refusal!.code;
    this.reason = output.refusal!.reason;
    this.fields = output.refusal!.fields;
    this.target = output.target;
    this.action = output.action;
  }
}

/** How long nothing must be asked before the engine frees memory, in milliseconds. */
const idle = 50;

const patchActions = { json: "json-patch", merge: "merge-patch", strategic: "strategic-patch" };

/** A Lab knows the kinds of a Kubernetes version. It keeps nothing of the objects that it is asked about. */
export class Lab {
  readonly #runtime: Runtime;
  readonly #options: { kubernetes: string; definitions: string[] };
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(runtime: Runtime, options: LabOptions) {
    this.#runtime = runtime;
    this.#options = { kubernetes: options.kubernetes ?? "", definitions: options.definitions ?? [] };
  }

  /** open returns a Lab, and throws a LabError for options that cannot be used. */
  static open(runtime: Runtime, options: LabOptions = {}): Lab {
    const lab = new Lab(runtime, options);
    lab.#ask("labKinds", { lab: lab.#options });
    return lab;
  }

  /** with returns a Lab of the same engine that knows other kinds. */
  with(options: LabOptions): Lab {
    return Lab.open(this.#runtime, options);
  }

  /** ready is settled when the Lab can be asked, which it can at once but after an EngineStoppedError. */
  get ready(): Promise<void> {
    return this.#runtime.ready;
  }

  /** apply applies a manifest as `kubectl apply --server-side` does. live is null where there is no object yet. */
  apply(live: Input | null, manifest: Input, options: ApplyOptions = {}): Outcome {
    return this.#change(live, manifest, "apply", options);
  }

  /** clientApply applies a manifest as `kubectl apply` does without --server-side. */
  clientApply(live: Input | null, manifest: Input, options: ChangeOptions = {}): Outcome {
    return this.#change(live, manifest, "client-side-apply", options);
  }

  /** patch applies a JSON patch, a merge patch or a strategic merge patch. */
  patch(live: Input, patch: Input, { type, ...options }: PatchOptions = {}): Outcome {
    return this.#change(live, patch, type ? patchActions[type] : "patch", options);
  }

  /** create creates an object. */
  create(object: Input, options: ChangeOptions = {}): Outcome {
    return this.#change(null, object, "create", options);
  }

  /** update replaces an object, as PUT does. */
  update(live: Input, object: Input, options: ChangeOptions = {}): Outcome {
    return this.#change(live, object, "update", options);
  }

  /** owners lists the fields that an object's managedFields name, or the owners of one field. */
  owners(object: Input, path = ""): FieldOwners[] {
    const { owners, managers } = this.#ask("labOwners", { lab: this.#options, object: text(object), path });
    return owners.map(owned(managers));
  }

  /** explain says of each field of an object, or of one, how it merges and who owns it. */
  explain(object: Input, path = ""): Explained[] {
    const { fields, managers } = this.#ask("labExplain", { lab: this.#options, object: text(object), path });
    return fields.map((f: ExplainedMessage) => ({ ...f, value: value(f.value), managers: f.managers.map((i) => managers[i]!) }));
  }

  /** compare lists the fields that differ between two states of an object, in value or in owners. */
  compare(before: Input, after: Input): Change[] {
    return this.#ask("labCompare", { lab: this.#options, before: text(before), after: text(after) }).changes.map(changed);
  }

  #change(live: Input | null, change: Input, action: string, options: ApplyOptions): Outcome {
    const { fieldManager = "", force = false, subresource = "", fieldValidation = "", namespace = "" } = options;
    const liveText = live === null ? "" : text(live);
    const out = this.#ask("labChange", { lab: this.#options, live: liveText, change: text(change), action, fieldManager, force, subresource, fieldValidation, namespace });
    if (out.refusal && out.conflicts.length === 0) throw new RefusedError(out);
    const { target, created, changed: differs, yaml, warnings, notes } = out;
    return {
      ok: !out.refusal, object: value(out.object) ?? null, yaml, target, action: out.action, fieldManager: out.fieldManager,
      created, changed: differs, owners: out.owners.map(owned(out.managers)), changes: out.changes.map(changed),
      conflicts: out.conflicts.map((c: LabConflict) => ({ ...c, live: value(c.live), wanted: value(c.wanted) })), warnings, notes,
    };
  }

  #ask<K extends keyof LabCalls>(call: K, input: LabCalls[K]["input"]): LabCalls[K]["output"] {
    clearTimeout(this.#timer);
    const response = this.#runtime.answer(new TextEncoder().encode(JSON.stringify({ call, input })));
    this.#timer = setTimeout(() => this.#runtime.idle(), idle);
    (this.#timer as { unref?: () => void }).unref?.(); // a program of Node.js need not wait for it
    const answer = JSON.parse(new TextDecoder().decode(response)) as { output: LabCalls[K]["output"] } | { error: Failure };
    if ("error" in answer) throw new LabError(answer.error);
    return answer.output;
  }
}

const text = (input: Input): string => (typeof input === "string" ? input : JSON.stringify(input));

/** value reads JSON, undefined for none. */
const value = (json: string): Value => (json === "" ? undefined : JSON.parse(json));

const changed = (c: LabChange): Change => ({ ...c, effect: c.effect as Change["effect"], before: value(c.before), after: value(c.after) });

const owned = (managers: Manager[]) => (o: FieldOwner): FieldOwners => ({ path: o.path, managers: o.managers.map((i) => managers[i]!) });
