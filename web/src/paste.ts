// The dialog in which users paste or drop live objects, definitions or a scenario.
import type { App } from "./app";
import { button, h, replace } from "./dom";
import { copyButton, open } from "./dialog";
import { makeEditor } from "./editor";
import { EngineError } from "./engine";
import type { PastedObject, PasteOutput } from "./messages";
import { emptyScenario, emptyTarget, type State } from "./state";

const command = "kubectl get deployment/web -o yaml --show-managed-fields";

/** The delay in milliseconds from the last key press until the text is analysed. */
const pause = 120;

const maxFile = 16 << 20;

/** openPaste opens the dialog, optionally with a text that was pasted or dropped elsewhere in the page. */
export function openPaste(app: App, text = ""): void {
  const found = h("div", { class: "found", "aria-live": "polite" });
  const actions = h("div", { class: "row" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const editor = makeEditor({ label: "Objects, as YAML or JSON", changed: () => {
    stale();
    clearTimeout(timer);
    timer = setTimeout(() => void look(), pause);
  } });
  const stale = () => { // the findings are those of the previous text
    for (const b of actions.querySelectorAll("button")) b.disabled = true;
    found.setAttribute("aria-busy", "true");
  };
  const look = async () => {
    const now = ++asked;
    const text = editor.text();
    if (text.trim() === "") return replace(found, null), replace(actions, null);
    try {
      const { kubernetes, definitions } = app.scenario;
      const out = await app.engine.ask("paste", { text, kubernetes, definitions });
      if (now !== asked) return;
      editor.annotate([]);
      found.removeAttribute("aria-busy");
      replace(found, ...describe(app, out));
      replace(actions, ...choices(app, out, () => dialog.close()));
    } catch (error) {
      if (now !== asked) return;
      const { message, line, column } = error instanceof EngineError ? error : { message: String(error), line: 0, column: 0 };
      editor.annotate([{ line, column, message }]);
      found.removeAttribute("aria-busy");
      replace(found, h("p", { class: "bad" }, line > 0 ? button(`line ${line}`, "paste-problem", () => editor.goTo(line, column)) : null, ` ${message}`));
      replace(actions, null);
    }
  };
  const take = (text: string) => {
    editor.show(editor.text().trim() === "" ? text : `${editor.text().replace(/\n*$/, "\n")}---\n${text}`);
    void look();
  };
  const dialog = open("Paste your object",
    h("p", null, "Start from what is in your cluster: one object, several, or a List, with their CustomResourceDefinitions if they are custom resources. Nothing you paste leaves this page."),
    h("div", { class: "command" }, h("code", null, command), copyButton(app, "Copy", "copy-command", () => command)),
    h("div", { class: "drop", dragover: (e: DragEvent) => e.preventDefault(), drop: (e: DragEvent) => {
      e.preventDefault();
      e.stopPropagation();
      void readFiles(e.dataTransfer?.files, take, app);
    } }, editor.host),
    found, h("div", { class: "row between" }, actions, filePicker("Choose a file", (files) => void readFiles(files, take, app))));
  dialog.classList.add("wide");
  editor.focus();
  if (text) take(text);
}

function describe(app: App, out: PasteOutput): HTMLElement[] {
  if (out.scenario) return [h("p", { class: "good" }, `✓ A scenario: ${out.scenario.title || `${out.scenario.steps.length} steps`}`)];
  const items = [
    ...out.definitions.map((d) => h("li", null, h("span", { class: "good" }, "✓ "), h("b", null, d.name), " CustomResourceDefinition")),
    ...out.objects.map((o) => h("li", null, h("span", { class: o.known ? "good" : "bad" }, o.known ? "✓ " : "✗ "), h("b", null, `${o.target.kind} ${o.target.name}`), ` ${o.target.apiVersion}`, h("span", { class: "quiet" }, known(o)),
      o.known ? null : h("p", null, o.hint ? `Unknown kind: ${o.hint}` : "Unknown kind. If it is a custom resource, paste its CustomResourceDefinition too."),
      !o.known && o.hint.includes("kubectl get crd") ? copyButton(app, "Copy the command", `crd-${o.target.kind}`, () => o.hint.slice(o.hint.indexOf("kubectl"))) : null)),
  ];
  const bare = out.objects.find((o) => o.live && o.managers.length === 0);
  return [h("ul", { class: "plain" }, ...items), ...(bare ? [missing(app, bare)] : [])];
}

function known(o: PastedObject): string {
  const names = new Set(o.managers.map((m) => m.name)).size;
  if (names > 0) return names === 1 ? ", 1 manager" : `, ${names} managers`;
  return o.live ? ", no managedFields" : ", a manifest, not a live object";
}

/** missing explains the consequences of missing managedFields, and how to include them. */
function missing(app: App, o: PastedObject): HTMLElement {
  const { apiVersion, kind, namespace, name } = o.target;
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  const text = `kubectl get ${kind.toLowerCase()}${group}/${name}${namespace ? ` -n ${namespace}` : ""} -o yaml --show-managed-fields`;
  return h("div", { class: "warning" }, h("p", null, "The object has no managedFields; kubectl hides them by default. Without them no field has a known owner, so an apply that conflicts in your cluster does not conflict here. To include them:"),
    h("div", { class: "command" }, h("code", null, text), copyButton(app, "Copy", "copy-managed", () => text)));
}

function choices(app: App, out: PasteOutput, done: () => void): HTMLElement[] {
  const go = (state: State, what: string) => {
    done();
    app.open(state, what);
    app.view(state.at === 0 ? "object" : "request");
  };
  if (out.scenario) {
    const scenario = out.scenario;
    return [button("Open the scenario", "paste-scenario", () => go({ scenario, at: Math.min(1, scenario.steps.length), object: 0 }, scenario.title ? `“${scenario.title}”` : "the scenario"), { class: "primary" })];
  }
  const definitions = out.definitions.map((d) => d.text);
  const objects = out.objects.filter((o) => o.known);
  const add = button("Add to this scenario", "paste-add", () => {
    done();
    app.changeAndTell("adding the pasted objects", `Added ${[...out.definitions.map((d) => d.name), ...objects.map((o) => `${o.target.kind} ${o.target.name}`)].join(", ")}.`, (s) => {
      s.scenario.definitions.push(...definitions);
      s.scenario.objects.push(...objects.map((o) => o.text));
      if (objects.length > 0) s.at = 0, (s.object = s.scenario.objects.length - objects.length);
    });
  });
  if (objects.length === 0) return definitions.length > 0 ? [add] : [];
  const title = objects.length === 1 ? `${objects[0]!.target.kind} ${objects[0]!.target.name}` : `${objects.length} live objects`;
  const begin = { ...emptyScenario(), kubernetes: app.scenario.kubernetes, definitions: [...app.scenario.definitions, ...definitions], actors: [], title };
  const manifests = objects.filter((o) => !o.live && o.managers.length === 0);
  const buttons = [button(objects.length === 1 ? "Start with this object" : "Start with these objects", "paste-begin", () => go({ scenario: { ...begin, objects: objects.map((o) => o.text) }, at: 0, object: 0 }, title), { class: "primary" })];
  if (manifests.length === objects.length) {
    buttons.unshift(button("Apply it as the first step", "paste-apply", () => go({
      scenario: { ...begin, actors: [{ name: "alice", colour: "" }], steps: objects.map((o) => ({ actor: "alice", do: "apply", subresource: "", note: "", expect: "", target: emptyTarget(), body: o.text })) }, at: 1, object: 0,
    }, title), { class: "primary" }));
    buttons[1]!.classList.remove("primary");
  }
  return [...buttons, ...(app.scenario.steps.length > 0 ? [add] : [])];
}

/** readFiles passes the text of each file to take. */
export async function readFiles(files: FileList | null | undefined, take: (text: string) => unknown, app: App): Promise<void> {
  for (const file of files ?? []) {
    if (file.size > maxFile) {
      app.tell(`${file.name} is larger than 16 MiB.`);
      continue;
    }
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    } catch {
      app.tell(`${file.name} is not UTF-8 text.`);
      continue;
    }
    await take(text);
  }
}

export function filePicker(text: string, take: (files: FileList | null) => void): HTMLElement {
  const input = h("input", { type: "file", accept: ".yaml,.yml,.json", multiple: true, class: "sr-only", tabindex: "-1", "aria-hidden": "true", change: () => take(input.files) });
  return h("span", null, button(text, `pick-${text}`, () => input.click()), input);
}
