// The result of a step: the response, the conflicts, what changed and why, and what did not.
import { type App, firstChanges } from "./app";
import { contested, enumerated, listed, ownersOf } from "./cards";
import { chip } from "./chip";
import { button, fieldPath, h, Keyed, pathButton, refresh, replace } from "./dom";
import { repository } from "./help";
import type { Change, Reason, Row, RunOutput, Step, StepResult } from "./messages";
import { deleted } from "./object";
import type { Rules } from "./rules";

export class Result {
  #app: App;
  #rules: Rules;
  #showLine: (line: number) => void;
  #goToConflict: (line: number, column: number) => void;
  #verdict = h("div", { class: "stacked" });
  #changes = new Keyed(h("ul", { class: "changes" }));
  #others = h("div", { class: "stacked" });
  #more = h("div", { class: "row" });

  /** showLine shows a line of the object, goToConflict a place in the manifest. */
  constructor(
    app: App,
    rules: Rules,
    showLine: (line: number) => void,
    goToConflict: (line: number, column: number) => void,
  ) {
    this.#app = app;
    this.#rules = rules;
    this.#showLine = showLine;
    this.#goToConflict = goToConflict;
  }

  /** draw shows the result of the selected step in the body of the panel. */
  draw(body: HTMLElement): void {
    const { output, scenario, state, step } = this.#app;
    const result = output?.steps[state.at - 1];
    if (!result || !step || !output) {
      replace(
        body,
        h(
          "p",
          { class: "empty" },
          this.#app.scenario.steps.length > 0 ? "Run a step to see its result." : "Add a step to see its result.",
        ),
      );
      return;
    }
    const { against, conflicts } = output;
    const gone = deleted(output, result);
    const changes = gone ? [] : output.changes.filter((c) => !isIdentity(c)); // the object shows what it had
    const changed = gone ? 0 : output.changed - (output.changes.length - changes.length);
    const left = changed - changes.length;
    const since = against === state.at - 1 ? "" : against === 0 ? " since the start" : ` since step ${against}`;
    const givesUp = scenario.steps.slice(0, state.at - 1).some((s) => s.actor === step.actor && s.do.endsWith("apply")); // what an earlier step applied
    refresh(
      this.#verdict,
      result.code !== 0 && isBlank(step) && !givesUp
        ? h(
            "p",
            { class: "warning" },
            "The manifest does not set any field yet. Paste your manifest in place of it, or add the fields that you want to apply.",
          )
        : null,
      h(
        "div",
        { class: `verdict ${result.ok ? "good" : "bad"}` },
        h("b", { class: "code" }, result.code === 0 ? "—" : String(result.code)),
        h("span", null, gone ? "Deleted." : verdict(result, contested(conflicts).length, output.unvalidated)),
      ),
      this.#conflicts(),
      conflicts.some((c) => c.owner.name === step.actor)
        ? h(
            "p",
            { class: "quiet" },
            `${step.actor} has updated the object before. The updates and the applies of a manager own fields separately, and conflict like those of two managers. Apply with force once to take these fields over.`,
          )
        : null,
      result.message && conflicts.length === 0 ? refusal(result) : null,
      ...(result.ok ? this.#rules.notices() : []),
      deletion(this.#app),
      gone ? h("p", null, deletedWhy(step)) : null,
      result.code === 201 ? elsewhere(result, output) : null,
      ...result.warnings.map((w) => h("p", { class: "warning" }, "Warning: ", w)),
      gone
        ? null
        : changes.length > 0
          ? h("h3", null, heading(changed, left, since))
          : h("p", { class: "empty" }, unchanged(step, result, output, since)),
    );
    this.#changes.parent.classList.toggle("long", changes.length > firstChanges);
    const reasons = new Map(this.#app.reasons.map((r) => [r.path, r]));
    const entries = this.#entries(changes, reasons);
    this.#changes.show(
      entries.map((e) => e.look),
      (i) => entries[i]!.make(),
    );
    this.#drawOthers(new Set(changes.map((c) => c.path)));
    if (left > 0 || this.#more.hasChildNodes())
      replace(
        this.#more,
        left > 0
          ? button(`Show the other ${left.toLocaleString("en")}`, "more-changes", () => this.#app.showAll())
          : null,
      );
    if (!this.#verdict.isConnected) replace(body, this.#verdict, this.#changes.parent, this.#more, this.#others);
  }

  /** #conflicts lists the conflicts; they are resolved in the manifest. */
  #conflicts(): HTMLElement | null {
    const fields = contested(this.#app.output!.conflicts);
    if (fields.length === 0) return null;
    const hints = new Map(this.#app.reasons.map((r) => [r.path, r.hint])); // of one conflict, it is below the reason
    return h(
      "ul",
      { class: "conflicts", "aria-label": "Conflicts" },
      ...fields.map((c, i) =>
        h(
          "li",
          null,
          h("p", null, this.#fieldAt(c.path, c.line, `conflict-line-${i}`)),
          h(
            "p",
            null,
            ...ownersOf(this.#app, c),
            c.owners.length === 1 ? " owns it: " : " own it: ",
            h("code", null, c.live || "(none)"),
            ", ",
            chip(this.#app, this.#app.step?.actor ?? ""),
            " wants ",
            h("code", null, c.wanted || "(none)"),
          ),
          fields.length > 1 && hints.get(c.path) ? hintText(hints.get(c.path)!) : null,
          c.mark.line > 0
            ? button("Resolve conflict", `ways-${i}`, () => this.#goToConflict(c.mark.line, c.mark.column), {
                "data-place": `${c.mark.line}:${c.mark.column}`,
              })
            : null,
        ),
      ),
    );
  }

  /** #drawOthers lists the fields that the request would change but that did not change, with the reasons. */
  #drawOthers(changed: Set<string>): void {
    const list = this.#app.reasons.filter(
      (r) =>
        !changed.has(r.path) &&
        !effectsOfChanges.has(r.effect) &&
        (r.rule !== wholeRequest || r.path !== "." || r.hint !== ""),
    );
    const groups = [
      ...gather(list, (r) =>
        r.effect === "conflicting" ? r.effect : JSON.stringify([r.effect, r.rule, r.text, r.expected]),
      ).values(),
    ];
    refresh(
      this.#others,
      list.length > 0 ? h("h3", null, this.#headingOf(list)) : null,
      list.length > 0
        ? h("ul", { class: "changes" }, ...groups.slice(0, 100).map((group) => this.#other(group)))
        : null,
    );
  }

  /** #other shows fields with one reason that did not change. Conflicts are listed above, each with its owners. */
  #other(group: Reason[]): HTMLElement {
    const first = group[0]!;
    const attributes = { "data-effect": first.effect };
    if (first.effect === "conflicting" && group.length > 1) {
      const text = "Other managers own these fields with other values, so the apply is refused.";
      return h("li", attributes, reason({ ...first, text }));
    }
    const hints = new Set(group.map((r) => r.hint).filter((hint) => hint !== ""));
    return h(
      "li",
      attributes,
      ...group.flatMap((r) => [
        h("p", null, h("span", { class: "effect" }, r.effect), this.#subject(r)),
        r.wanted && r.effect !== "conflicting" ? h("p", { class: "values" }, "requested: ", r.wanted) : null,
      ]),
      reason(first),
      ...[...hints].map(hintText),
    );
  }

  /** #subject returns what a reason is about: an operation of a JSON patch, the request, or a field. */
  #subject(r: Reason): HTMLElement {
    const operation = this.#app.step?.do === "json-patch" ? /^\[(\d+)\]/.exec(r.path)?.[1] : undefined;
    if (operation) return h("span", null, `operation ${operation}`);
    if (r.path === ".") return h("span", null, "the request");
    return this.#fieldAt(r.path, r.line, `reason-${r.path}`);
  }

  /** #fieldAt returns the path of a field, with a link to its line in the object if it has one. */
  #fieldAt(path: string, line: number, id: string): HTMLElement {
    return line > 0
      ? pathButton(path, id, () => this.#showLine(line), { "data-line": line })
      : h("code", { class: "path" }, ...fieldPath(path));
  }

  /** #headingOf returns the heading of reasons for fields that did not change. */
  #headingOf(reasons: Reason[]): string {
    if (!this.#app.output?.steps[this.#app.state.at - 1]?.ok) return "Why it was refused";
    return reasons.every((r) => r.effect === "noted") ? "About the request" : "Not changed by the request";
  }

  /** #entries lists changes. Changes with the same effect, owners and reason have one heading. */
  #entries(changes: Change[], reasons: Map<string, Reason>): { look: string; make(): HTMLElement }[] {
    const owner = (name: string) => JSON.stringify([name, this.#app.look(name)]);
    const common = (c: Change) =>
      [
        c.effect,
        ...c.ownersBefore.map(owner),
        "",
        ...c.ownersAfter.map(owner),
        "",
        reasons.get(c.path)?.text ?? "",
      ].join("\n");
    const own = (c: Change) => [c.path, c.before, c.after, c.line > 0].join("\n");
    return [...gather(changes, common)].flatMap(([look, group]) => {
      const first = group[0]!;
      const why = reasons.get(first.path);
      if (group.length === 1)
        return [
          {
            look: `${look}\n${own(first)}`,
            make: () =>
              h(
                "li",
                { "data-effect": first.effect },
                h("p", null, effect(first), this.#path(first)),
                values(first),
                this.#transfer(first),
                why ? reason(why) : null,
              ),
          },
        ];
      return [
        {
          look: `${look}\n${group.length}`,
          make: () =>
            h(
              "li",
              { "data-effect": first.effect },
              h("p", null, effect(first), `${group.length} fields`),
              this.#transfer(first),
              why ? reason(why) : null,
            ),
        },
        ...group.map((c) => ({
          look: `${c.effect}\n${own(c)}`,
          make: () => h("li", { class: "in", "data-effect": c.effect }, this.#path(c), values(c)),
        })),
      ];
    });
  }

  #path(c: Change): HTMLElement {
    // The element of a change is kept when only the line of its field changes.
    const line = () => this.#app.output?.changes.find(({ path }) => path === c.path)?.line ?? c.line;
    return c.line > 0
      ? pathButton(c.path, `change-${c.path}`, () => this.#showLine(line()))
      : h("code", { class: "path" }, ...fieldPath(c.path));
  }

  /** #transfer shows the owners before and after a change. */
  #transfer(c: Change): HTMLElement {
    const owners = (names: string[]) =>
      names.length > 0
        ? names.flatMap((n) => [chip(this.#app, n), " "])
        : [h("span", { class: "empty" }, "no owner"), " "];
    const same = c.ownersBefore.join() === c.ownersAfter.join();
    return h(
      "div",
      { class: "transfer" },
      ...(same
        ? owners(c.ownersAfter)
        : [...owners(c.ownersBefore), h("span", { "aria-label": "then" }, "→"), " ", ...owners(c.ownersAfter)]),
    );
  }
}

/** deletion lists the finalizers that delay the deletion of the object, if it is being deleted. */
export function deletion(app: App): HTMLElement | null {
  const { rows, object } = app.output!;
  const live = rows.filter((r) => r.mark !== "removed");
  if (!object || !live.some((r) => r.text.startsWith("  deletionTimestamp: "))) return null;
  const from = live.findIndex((r) => r.text === "  finalizers:") + 1;
  const items = from > 0 ? live.slice(from, from + live.slice(from).findIndex((r) => !r.text.startsWith("  - "))) : [];
  const owners = (r: Row) =>
    enumerated([...new Set(r.owners.map((n) => object.managers[n]?.name ?? ""))].map((name) => chip(app, name)));
  return h(
    "div",
    { class: "warning" },
    h(
      "p",
      null,
      `The object is being deleted. ${items.length > 0 ? "It remains until these finalizers are removed. A controller removes its finalizer when its cleanup is done:" : "It has no finalizers left."}`,
    ),
    h(
      "ul",
      { class: "plain" },
      ...items.map((r) =>
        h("li", null, h("code", null, r.text.slice(4)), r.owners.length > 0 ? " added by " : "", ...owners(r)),
      ),
    ),
    items.length > 0
      ? h(
          "p",
          null,
          "If a controller no longer exists, remove its finalizer with a patch; its cleanup is then skipped.",
        )
      : null,
  );
}

/** The effects of changes, which are listed as such, and not all at first if there are many. */
const effectsOfChanges: ReadonlySet<string> = new Set([
  "set",
  "removed",
  "taken over",
  "shared",
  "owned",
  "given up",
  "reordered",
]);

/** The rule of a request that is refused as a whole. Its text adds nothing to the response. */
const wholeRequest = "refused/request";

/** others explains why an apply without a change leaves fields of other managers alone. */
function others(step: Step, output: RunOutput): string {
  const names = [...new Set((output.object?.managers ?? []).map((m) => m.name))].filter((name) => name !== step.actor);
  return step.do.endsWith("apply") && step.do !== "client-side-apply" && names.length > 0
    ? ` An apply leaves fields that are not in its manifest to their owners: ${listed(names)}.`
    : "";
}

/** heading returns the heading of changes, of which some are left out at first. */
function heading(changed: number, left: number, since: string): string {
  const fields = changed === 1 ? "1 field" : `${changed.toLocaleString("en")} fields`;
  return `${fields} changed${since}${left > 0 ? `. The first ${changed - left}:` : ""}`;
}

/** unchanged says that a step has changed nothing. */
function unchanged(step: Step, result: StepResult, output: RunOutput, since: string): string {
  if (result.ok) return `No field or owner changed${since}.${others(step, output)}`;
  return output.object ? `The object is unchanged${since}.` : "No object was created or changed.";
}

/** elsewhere explains that a step has created an object although there is a live one of its name, which is in another namespace. */
function elsewhere({ target: { kind, name, namespace } }: StepResult, { objects }: RunOutput): HTMLElement | null {
  const live = objects.find(
    ({ target }) => target.kind === kind && target.name === name && target.namespace !== namespace,
  );
  return live
    ? h(
        "p",
        { class: "warning" },
        `This is another object than the live one: ${kind} ${name} is in the namespace ${live.target.namespace}, and the step is for ${namespace}.`,
      )
    : null;
}

/** deletedWhy explains why a step removed the object. An update does so only if the object was being deleted, and a deletion only if it had no finalizers. */
const deletedWhy = (step: Step): string =>
  step.do === "delete"
    ? "The object had no finalizers, so the API server removed it at once."
    : "The object was being deleted, and has no finalizers after the step, so the API server removed it.";

/** isBlank reports whether the manifest of an apply only identifies the object. */
const isBlank = (step: Step): boolean =>
  step.do.endsWith("apply") && step.body.trim() !== "" && !otherField.test(step.body);

/** A line of a manifest that does more than identify the object. */
const otherField = /^(?!(apiVersion: .*|kind: .*|metadata:| {2}(name|namespace): .*|[ \t\r]*)$)/m;

const effect = (c: Change): HTMLElement => h("span", { class: "effect" }, c.effect);

const values = (c: Change): HTMLElement | null =>
  c.before === c.after
    ? null
    : h(
        "p",
        { class: "values" },
        c.before ? h("del", null, c.before) : null,
        c.before && c.after ? " → " : null,
        c.after ? h("ins", null, c.after) : null,
      );

/** isIdentity reports whether a change sets a field that identifies a new object. Such fields have no owner. */
const isIdentity = (c: Change): boolean =>
  c.before === "" &&
  c.ownersAfter.length === 0 &&
  [".apiVersion", ".kind", ".metadata.name", ".metadata.namespace"].includes(c.path);

/** gather groups elements by key, in the order of the first element of each group. */
function gather<T>(list: T[], key: (element: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const element of list) {
    const group = groups.get(key(element));
    if (group) group.push(element);
    else groups.set(key(element), [element]);
  }
  return groups;
}

/** verdict returns the result of a step as a sentence, which claims nothing that was not checked. */
function verdict(result: StepResult, conflicts: number, unvalidated: boolean): string {
  if (result.code === 0) return "This step is not a complete request.";
  if (conflicts > 0)
    return conflicts === 1
      ? "Conflict: another manager owns a field that the apply would change."
      : `Conflict: other managers own ${conflicts} fields that the apply would change.`;
  if (result.unapplied) return "Refused: the patch cannot be applied to the object.";
  if (!result.ok) return result.code === 422 ? "Refused: the object would be invalid." : "Refused by the API server.";
  const accepted = result.code === 201 ? "Created" : result.changed ? "Accepted" : "Accepted, without a change";
  return unvalidated ? `${accepted}; the values are not validated yet.` : `${accepted}.`;
}

/** The message of a refused step; several causes are a list. */
function refusal(result: StepResult): HTMLElement {
  const causes = result.marks.map((m) => m.message);
  const [mark] = result.marks;
  if (result.code === 0 && mark && mark.line > 0)
    return h("p", { class: "message" }, `Line ${mark.line}: ${mark.message}`); // as beside the editor
  const start = result.message.indexOf(": [");
  if (start < 0 || causes.length < 2 || !causes.every((c) => result.message.includes(c)))
    return h("p", { class: "message" }, result.message);
  return h(
    "div",
    { class: "message" },
    h("p", null, result.message.slice(0, start + 1)),
    h("ul", null, ...causes.map((c) => h("li", null, c))),
  );
}

/** reason renders the reason for a change, with a link to the rule. */
function reason(r: Reason): HTMLElement {
  return h(
    "p",
    { class: "reason" },
    r.text,
    r.expected
      ? h("span", { class: "expected" }, ` You might have expected ${r.expected.replace(/^./, (c) => c.toLowerCase())}`)
      : null,
    " ",
    h(
      "a",
      {
        href: `${repository}/blob/main/doc/rules.md#:~:text=${encodeURIComponent(r.rule)}`,
        target: "_blank",
        rel: "noopener",
      },
      r.rule,
    ),
  );
}

const hintText = (hint: string): HTMLElement => h("p", { class: "reason quiet" }, "Hint: ", hint);
