// Written by a test from the messages of internal/app/playground: do not edit.
// go test ./internal/app/playground -update

export interface LabOptions {
  kubernetes: string;
  definitions: string[];
}

export interface LabChangeInput {
  lab: LabOptions;
  live: string;
  change: string;
  action: string;
  fieldManager: string;
  force: boolean;
  subresource: string;
  fieldValidation: string;
  namespace: string;
}

export interface Target {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

export interface Manager {
  name: string;
  operation: string;
  apiVersion: string;
  subresource: string;
  time: string;
}

export interface FieldOwner {
  path: string;
  managers: number[];
}

export interface LabChange {
  path: string;
  effect: string;
  before: string;
  after: string;
  ownersBefore: string[];
  ownersAfter: string[];
}

export interface Way {
  name: string;
  summary: string;
}

export interface LabConflict {
  path: string;
  manager: Manager;
  live: string;
  wanted: string;
  line: number;
  column: number;
  ways: Way[];
}

export interface RefusedField {
  path: string;
  line: number;
  column: number;
  message: string;
  value: string;
  hint: string;
}

export interface Refusal {
  message: string;
  code: number;
  reason: string;
  line: number;
  column: number;
  fields: RefusedField[];
}

export interface LabChangeOutput {
  target: Target;
  action: string;
  fieldManager: string;
  created: boolean;
  changed: boolean;
  object: string;
  yaml: string;
  managers: Manager[];
  owners: FieldOwner[];
  changes: LabChange[];
  warnings: string[];
  notes: string[];
  conflicts: LabConflict[];
  refusal: Refusal | null;
}

export interface LabCompareInput {
  lab: LabOptions;
  before: string;
  after: string;
}

export interface LabCompareOutput {
  changes: LabChange[];
}

export interface LabObjectInput {
  lab: LabOptions;
  object: string;
  path: string;
}

export interface Explained {
  path: string;
  value: string;
  line: number;
  merges: string;
  managers: number[];
}

export interface LabExplainOutput {
  managers: Manager[];
  fields: Explained[];
}

export interface LabKindsInput {
  lab: LabOptions;
}

export interface LabKindsOutput {
  versions: string[];
}

export interface LabOwnersOutput {
  managers: Manager[];
  owners: FieldOwner[];
}

export interface Failure {
  message: string;
  line: number;
  column: number;
}

/** What can be asked of the engine. */
export interface LabCalls {
  labChange: { input: LabChangeInput; output: LabChangeOutput };
  labCompare: { input: LabCompareInput; output: LabCompareOutput };
  labExplain: { input: LabObjectInput; output: LabExplainOutput };
  labKinds: { input: LabKindsInput; output: LabKindsOutput };
  labOwners: { input: LabObjectInput; output: LabOwnersOutput };
}
