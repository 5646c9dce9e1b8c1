// Written by a test from the messages of internal/app/playground: do not edit.
// go test ./internal/app/playground -update

export interface AboutInput {
}

export interface AboutOutput {
  versions: string[];
  version: string;
  actions: string[];
}

export interface Actor {
  name: string;
  colour: string;
}

export interface Target {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

export interface Step {
  actor: string;
  do: string;
  subresource: string;
  target: Target;
  body: string;
  note: string;
  expect: string;
}

export interface Scenario {
  title: string;
  about: string;
  kubernetes: string;
  definitions: string[];
  objects: string[];
  actors: Actor[];
  steps: Step[];
  race: string[];
}

export interface ConvertInput {
  scenario: Scenario;
  at: number;
  do: string;
}

export interface Change {
  path: string;
  effect: string;
  before: string;
  after: string;
  ownersBefore: string[];
  ownersAfter: string[];
  line: number;
}

export interface Patch {
  do: string;
  body: string;
  ok: boolean;
  message: string;
  changes: Change[];
  follows: string[];
  kubectl: string;
  curl: string;
  go: string;
}

export interface ConvertOutput {
  step: Step;
  patch: Patch;
  kept: boolean;
}

export interface ScenarioInput {
  scenario: Scenario;
}

export interface TextOutput {
  text: string;
}

export interface TextInput {
  text: string;
}

export interface ScenarioOutput {
  scenario: Scenario;
}

export interface Choice {
  text: string;
  right: boolean;
}

export interface Question {
  step: number;
  ask: string;
  choices: Choice[];
  because: string;
}

export interface LessonOutput {
  group: string;
  scenario: Scenario;
  questions: Question[];
}

export interface LineInput {
  scenario: Scenario;
  at: number;
  object: number;
  line: number;
}

export interface Rule {
  name: string;
  url: string;
}

export interface Ownership {
  manager: number;
  since: number;
}

export interface LineOutput {
  path: string;
  merges: string;
  meaning: string;
  text: string;
  rule: Rule;
  owners: Ownership[];
}

export interface ManagedInput {
  scenario: Scenario;
  at: number;
  object: number;
}

export interface Node {
  label: string;
  owned: boolean;
  fields: Node[];
}

export interface Tree {
  fields: Node[];
}

export interface ManagedOutput {
  yaml: string;
  trees: Tree[];
}

export interface PasteInput {
  text: string;
  kubernetes: string;
  definitions: string[];
}

export interface Manager {
  name: string;
  operation: string;
  apiVersion: string;
  subresource: string;
  time: string;
}

export interface PastedObject {
  text: string;
  target: Target;
  managers: Manager[];
  live: boolean;
  known: boolean;
  hint: string;
  line: number;
}

export interface PastedDefinition {
  text: string;
  name: string;
}

export interface PasteOutput {
  scenario: Scenario | null;
  objects: PastedObject[];
  definitions: PastedDefinition[];
}

export interface PatchesInput {
  scenario: Scenario;
  at: number;
  object: number;
  edited: string;
  actor: string;
}

export interface PatchesOutput {
  patches: Patch[];
}

export interface RunInput {
  scenario: Scenario;
  at: number;
  against: number;
  changes: number;
  object: number;
}

export interface Mark {
  line: number;
  column: number;
  message: string;
}

export interface StepResult {
  ok: boolean;
  code: number;
  message: string;
  warnings: string[];
  marks: Mark[];
  conflicts: number;
  unapplied: boolean;
  changed: boolean;
  target: Target;
  resourceVersion: string;
  generation: string;
}

export interface DefinitionResult {
  ok: boolean;
  name: string;
  mark: Mark;
}

export interface ExistingObject {
  text: number;
  target: Target;
  notes: string[];
  managers: string[];
  ok: boolean;
  mark: Mark;
}

export interface Object {
  target: Target;
  resourceVersion: string;
  generation: string;
  managers: Manager[];
}

export interface Row {
  text: string;
  mark: string;
  line: number;
  owners: number[];
  below: number[];
  meaning: string;
}

export interface Way {
  name: string;
  summary: string;
}

export interface Conflict {
  path: string;
  owner: Manager;
  live: string;
  wanted: string;
  note: string;
  ways: Way[];
  line: number;
  mark: Mark;
}

export interface RunOutput {
  steps: StepResult[];
  definitions: DefinitionResult[];
  objects: ExistingObject[];
  at: number;
  against: number;
  object: Object | null;
  rows: Row[];
  keptBefore: number;
  keptAfter: number;
  changes: Change[];
  changed: number;
  conflicts: Conflict[];
  rulesNotRun: number;
  policiesNotRun: number;
  unvalidated: boolean;
}

export interface StartsInput {
  scenario: Scenario;
  object: number;
}

export interface StartsOutput {
  steps: Step[];
}

export interface WayInput {
  scenario: Scenario;
  at: number;
  conflict: number;
  way: string;
}

export interface WayOutput {
  step: Step;
  result: StepResult;
  rows: Row[];
}

export interface WhyInput {
  scenario: Scenario;
  at: number;
}

export interface Reason {
  path: string;
  effect: string;
  rule: string;
  text: string;
  expected: string;
  hint: string;
  wanted: string;
  keptBy: string[];
  line: number;
  mark: Mark;
}

export interface WhyOutput {
  reasons: Reason[];
}

export interface Failure {
  message: string;
  line: number;
  column: number;
}

/** What can be asked of the engine. */
export interface Calls {
  about: { input: AboutInput; output: AboutOutput };
  convert: { input: ConvertInput; output: ConvertOutput };
  export: { input: ScenarioInput; output: TextOutput };
  goTest: { input: ScenarioInput; output: TextOutput };
  import: { input: TextInput; output: ScenarioOutput };
  lesson: { input: TextInput; output: LessonOutput };
  line: { input: LineInput; output: LineOutput };
  managed: { input: ManagedInput; output: ManagedOutput };
  paste: { input: PasteInput; output: PasteOutput };
  patches: { input: PatchesInput; output: PatchesOutput };
  run: { input: RunInput; output: RunOutput };
  script: { input: ScenarioInput; output: TextOutput };
  starts: { input: StartsInput; output: StartsOutput };
  way: { input: WayInput; output: WayOutput };
  why: { input: WhyInput; output: WhyOutput };
}
