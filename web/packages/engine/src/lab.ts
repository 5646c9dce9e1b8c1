// Changes to objects, and their results as data.
import type {
  Explained as ExplainedMessage,
  Failure,
  FieldOwner,
  LabCalls,
  LabChange,
  LabChangeOutput,
  LabConflict,
  Manager,
  RefusedField,
  Target,
  Way,
} from "./messages.js";
import type { Runtime } from "./runtime.js";

export type { Manager, RefusedField, Target, Way };

/** A JSON value. As with JSON.parse, integers beyond 2^53 lose precision; the YAML of an Outcome has all digits. */
export type Value = any; // eslint-disable-line @typescript-eslint/no-explicit-any

/** An object or a patch: YAML or JSON as text, or a value. */
export type Input = string | Value[] | { [name: string]: Value };

export interface LabOptions {
  /** The version of the built-in kinds, such as "1.34"; "1.36" by default. */
  kubernetes?: string;
  /** CustomResourceDefinitions, YAML or JSON. */
  definitions?: string[];
}

export interface ChangeOptions {
  /** The name of the field manager. The default is the name that kubectl uses for this type of change. */
  fieldManager?: string;
  /** The subresource, such as status or scale; "" is the object itself. */
  subresource?: string;
  /** The treatment of unknown and duplicate fields; the default is that of kubectl: "Warn" for patches, otherwise "Strict". */
  fieldValidation?: "Strict" | "Warn" | "Ignore";
  /** The namespace for manifests without one. */
  namespace?: string;
}

export interface ApplyOptions extends ChangeOptions {
  /** Takes over conflicting fields from their owners. */
  force?: boolean;
}

export interface PatchOptions extends ChangeOptions {
  /** By default, a list is a JSON patch, and an object is a strategic merge patch for a built-in kind or a merge patch for a custom resource. */
  type?: "json" | "merge" | "strategic";
}

/** A field in managedFields, with its managers. */
export interface FieldOwners {
  path: string;
  managers: Manager[];
}

/** A field that differs between two states. A missing value is undefined. */
export interface Change {
  path: string;
  effect: "set" | "removed" | "taken over" | "shared" | "owned" | "given up";
  before: Value;
  after: Value;
  ownersBefore: string[];
  ownersAfter: string[];
}

/** A field that an apply would change and that another manager owns. */
export interface Conflict {
  path: string;
  manager: Manager;
  live: Value;
  wanted: Value;
  /** The position of the field in the applied manifest, 0 if it is unknown. */
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

/** The result of a change. */
export interface Outcome {
  /** Whether the change was made. It is false only for conflicts; other refusals are thrown. */
  ok: boolean;
  /** The object after the change, with its managedFields; null if there are conflicts. */
  object: Value;
  /** The object after the change as YAML; "" if there are conflicts. */
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
  /** What was detected or assumed: the type of change, the namespace, a kind without a schema. */
  notes: string[];
}

/** An error in the input. */
export class LabError extends Error {
  override readonly name: string = "LabError";
  /** The position in the input, 0 if it is unknown. */
  readonly line: number;
  readonly column: number;
  constructor(failure: Failure) {
    super(failure.message);
    this.line = failure.line;
    this.column = failure.column;
  }
}

/** The refusal of a change by the API server, or before the request would be sent. */
export class RefusedError extends LabError {
  override readonly name = "RefusedError";
  /** The API server's status code and reason, 0 and "" if the request would not be sent. */
  readonly code: number;
  readonly reason: string;
  readonly target: Target;
  readonly action: string;
  /** The invalid fields or options. */
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

/** The time in milliseconds after the last request until the engine frees memory. */
const idle = 50;

const patchActions = { json: "json-patch", merge: "merge-patch", strategic: "strategic-patch" };

/** A Lab predicts changes to objects of a Kubernetes version and of CustomResourceDefinitions. It does not store objects. */
export class Lab {
  readonly #runtime: Runtime;
  readonly #options: { kubernetes: string; definitions: string[] };
  #timer: ReturnType<typeof setTimeout> | undefined;

  private constructor(runtime: Runtime, options: LabOptions) {
    this.#runtime = runtime;
    this.#options = { kubernetes: options.kubernetes ?? "", definitions: options.definitions ?? [] };
  }

  /** open returns a Lab. It throws a LabError if an option is invalid. */
  static open(runtime: Runtime, options: LabOptions = {}): Lab {
    const lab = new Lab(runtime, options);
    lab.#ask("labKinds", { lab: lab.#options });
    return lab;
  }

  /** with returns a Lab with other options that uses the same engine. */
  with(options: LabOptions): Lab {
    return Lab.open(this.#runtime, options);
  }

  /** ready resolves when the Lab can process requests: immediately, except after an EngineStoppedError. */
  get ready(): Promise<void> {
    return this.#runtime.ready;
  }

  /** apply applies a manifest as `kubectl apply --server-side` does. live is null if the object does not exist. */
  apply(live: Input | null, manifest: Input, options: ApplyOptions = {}): Outcome {
    return this.#change(live, manifest, "apply", options);
  }

  /** clientApply applies a manifest as `kubectl apply` does without --server-side. */
  clientApply(live: Input | null, manifest: Input, options: ChangeOptions = {}): Outcome {
    return this.#change(live, manifest, "client-side-apply", options);
  }

  /** patch applies a JSON patch, a merge patch or a strategic merge patch. */
  patch(live: Input, patch: Input, { type, ...options }: PatchOptions = {}): Outcome {
    if (type && !Object.hasOwn(patchActions, type))
      throw new TypeError(`type is ${JSON.stringify(type)}; expected json, merge or strategic`);
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

  /** owners lists the owned fields of an object with their owners, or only the field at a path. */
  owners(object: Input, path = ""): FieldOwners[] {
    const { owners, managers } = this.#ask("labOwners", { lab: this.#options, object: text(object), path });
    return owners.map(owned(managers));
  }

  /** explain returns how each field of an object, or only one, merges and who owns it. */
  explain(object: Input, path = ""): Explained[] {
    const { fields, managers } = this.#ask("labExplain", { lab: this.#options, object: text(object), path });
    return fields.map((f: ExplainedMessage) => ({
      ...f,
      value: value(f.value),
      managers: f.managers.map((i) => managers[i]!),
    }));
  }

  /** compare lists the fields whose values or owners differ between two states of an object. */
  compare(before: Input, after: Input): Change[] {
    return this.#ask("labCompare", { lab: this.#options, before: text(before), after: text(after) }).changes.map(
      changed,
    );
  }

  #change(live: Input | null, change: Input, action: string, options: ApplyOptions): Outcome {
    const { fieldManager = "", force = false, subresource = "", fieldValidation = "", namespace = "" } = options;
    const liveText = live === null ? "" : text(live);
    const out = this.#ask("labChange", {
      lab: this.#options,
      live: liveText,
      change: text(change),
      action,
      fieldManager,
      force,
      subresource,
      fieldValidation,
      namespace,
    });
    if (out.refusal && out.conflicts.length === 0) throw new RefusedError(out);
    const { target, created, changed: differs, yaml, warnings, notes } = out;
    return {
      ok: !out.refusal,
      object: value(out.object) ?? null,
      yaml,
      target,
      action: out.action,
      fieldManager: out.fieldManager,
      created,
      changed: differs,
      owners: out.owners.map(owned(out.managers)),
      changes: out.changes.map(changed),
      conflicts: out.conflicts.map((c: LabConflict) => ({ ...c, live: value(c.live), wanted: value(c.wanted) })),
      warnings,
      notes,
    };
  }

  #ask<K extends keyof LabCalls>(call: K, input: LabCalls[K]["input"]): LabCalls[K]["output"] {
    clearTimeout(this.#timer);
    const response = this.#runtime.answer(new TextEncoder().encode(JSON.stringify({ call, input })));
    this.#timer = setTimeout(() => this.#runtime.idle(), idle);
    (this.#timer as { unref?: () => void }).unref?.(); // Node.js need not wait for it before it exits
    const answer = JSON.parse(new TextDecoder().decode(response)) as
      { output: LabCalls[K]["output"] } | { error: Failure };
    if ("error" in answer) throw new LabError(answer.error);
    return answer.output;
  }
}

const text = (input: Input): string => (typeof input === "string" ? input : JSON.stringify(input, finite));

/** finite refuses numbers that JSON does not have. JSON.stringify replaces them by null, which removes the field. */
function finite(name: string, v: unknown): unknown {
  if (typeof v === "number" && !Number.isFinite(v))
    throw new TypeError(`${JSON.stringify(name)} is ${v}, which is not a number in JSON`);
  return v;
}

/** value parses JSON; undefined if there is none. */
const value = (json: string): Value => (json === "" ? undefined : JSON.parse(json));

const changed = (c: LabChange): Change => ({
  ...c,
  effect: c.effect as Change["effect"],
  before: value(c.before),
  after: value(c.after),
});

const owned =
  (managers: Manager[]) =>
  (o: FieldOwner): FieldOwners => ({ path: o.path, managers: o.managers.map((i) => managers[i]!) });
