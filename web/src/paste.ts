// The dialog in which users paste or drop live objects, definitions or a scenario.
import type { App } from "./app";
import { button, h, replace } from "./dom";
import { copyButton, open } from "./dialog";
import { makeEditor } from "./editor";
import { EngineError, Latest } from "./engine";
import type { PastedObject, PasteOutput, Scenario } from "./messages";
import { contents } from "./pasted";
import { emptyScenario, emptyTarget } from "./state";

const command = "kubectl get deployment/web -o yaml --show-managed-fields";

/** The delay in milliseconds from the last key press until the text is analysed. */
const pause = 120;

const maxFile = 16 << 20;

/** The length from which a text takes seconds to read, so that the dialog shows at once that it is being read. */
const large = 1 << 20;

/** The time in milliseconds after which the dialog shows that a shorter text is being read. */
const slow = 400;

/** The maximum number of objects that a scenario can begin with here. */
const mostObjects = 500;

/** openPaste opens the dialog, optionally with a text that was pasted or dropped elsewhere in the page. */
export function openPaste(app: App, text = ""): void {
  const found = h("div", { class: "found stacked", "aria-live": "polite" });
  const actions = h("div", { class: "row" });
  const latest = new Latest();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let slowTimer: ReturnType<typeof setTimeout> | undefined;
  /** The length of the text that is being read, 0 if there is none. */
  let reading = 0;
  const editor = makeEditor({
    label: "Objects, as YAML or JSON",
    inDialog: true,
    changed: () => {
      stale();
      clearTimeout(timer);
      timer = setTimeout(() => void latest.run(look), pause);
    },
  });
  const stale = () => {
    // the findings are those of the previous text
    for (const b of actions.querySelectorAll("button")) b.disabled = true;
    found.setAttribute("aria-busy", "true");
    reading = editor.text().length;
    clearTimeout(slowTimer);
    if (reading > large) showReading();
    else slowTimer = setTimeout(showReading, slow);
  };
  const showReading = () =>
    replace(
      found,
      h("p", null, reading > large ? `Reading ${Math.round(reading / 1e6)} MB…` : "Reading…"),
      h("progress", { "aria-label": "Reading the text" }),
    );
  /** show replaces what the dialog shows about the text, if that is still the text that was read. */
  const show = (text: string, findings: (HTMLElement | null)[], buttons: HTMLElement[]) => {
    if (editor.text() !== text) return false;
    reading = 0;
    clearTimeout(slowTimer);
    found.removeAttribute("aria-busy");
    replace(found, ...findings);
    replace(actions, ...buttons);
    return true;
  };
  const look = async () => {
    const text = editor.text();
    if (text.trim() === "") return void show(text, [null], []);
    try {
      const { kubernetes, definitions } = app.scenario;
      const out = await app.engine.ask("paste", { text: unfenced(text), kubernetes, definitions });
      if (
        show(
          text,
          describe(app, out, () => dialog.close()),
          choices(app, out, () => dialog.close()),
        )
      )
        editor.annotate([]);
    } catch (error) {
      const { message, line, column } =
        error instanceof EngineError ? error : { message: String(error), line: 0, column: 0 };
      if (
        show(
          text,
          [
            h(
              "p",
              { class: "bad" },
              line > 0 ? button(`line ${line}`, "paste-problem", () => editor.goTo(line, column)) : null,
              ` ${message}`,
            ),
          ],
          [],
        )
      )
        editor.annotate([{ line, column, message }]);
    }
  };
  const take = (text: string) => {
    editor.show(editor.text().trim() === "" ? text : `${editor.text().replace(/\n*$/, "\n")}---\n${text}`);
    stale();
    void latest.run(look);
  };
  const dialog = open(
    "Paste your object",
    h(
      "p",
      null,
      "Start from what is in your cluster: one object, several, or a List, with their CustomResourceDefinitions if they are custom resources. Nothing you paste leaves this page.",
    ),
    h(
      "div",
      { class: "command" },
      h("code", null, command),
      copyButton(app, "Copy", "copy-command", () => command),
    ),
    h("div", { class: "drop" }, editor.host),
    found,
    h(
      "div",
      { class: "row between dialog-actions" },
      actions,
      filePicker("Choose a file", (files) => void readFiles(files, take, app)),
    ),
  );
  dialog.classList.add("wide");
  takeDropped(dialog, take, app);
  dialog.addEventListener("close", () => {
    clearTimeout(timer);
    clearTimeout(slowTimer);
    if (reading > large) app.engine.abandon("paste"); // the page would wait for it with the next result
  });
  editor.focus();
  if (text) take(text);
}

/** The command above what it printed, which may follow the prompt of a shell. */
const printedBy = /^\s*(?:[^\n{"]{0,100}[$%#>❯➜] ?)?kubectl [^\n]*/;

/** unfenced returns what is in the code fences of Markdown, if a text begins with one, without the command that printed it. Its lines keep their numbers. */
function unfenced(text: string): string {
  if (!/^\s*(```|~~~)/.test(text)) return text.replace(printedBy, "");
  let inside = false;
  return text
    .split("\n")
    .map((line) => {
      if (!/^\s*(```|~~~)/.test(line)) return inside ? line : "";
      inside = !inside;
      return inside ? "---" : "";
    })
    .join("\n");
}

function describe(app: App, out: PasteOutput, done: () => void): HTMLElement[] {
  if (out.scenario)
    return [h("p", { class: "good" }, `✓ A scenario: ${out.scenario.title || `${out.scenario.steps.length} steps`}`)];
  const list = contents(app, out, (o) => begin(app, out, [o], done));
  const many =
    out.objects.length > mostObjects
      ? h("p", null, `A scenario begins with at most ${mostObjects} objects here. Choose one of them, or paste fewer.`)
      : null;
  const bare = out.objects.find((o) => o.live && o.managers.length === 0);
  return [many, ...list, bare ? missing(app, bare) : null].filter((e) => e !== null);
}

/** shellWord quotes a text for a shell if necessary. */
const shellWord = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** missing explains the consequences of missing managedFields, and how to include them. */
function missing(app: App, o: PastedObject): HTMLElement {
  const { apiVersion, kind, namespace, name } = o.target;
  const group = apiVersion.includes("/") ? `.${apiVersion.split("/")[0]}` : "";
  const text = `kubectl get ${shellWord(`${kind.toLowerCase()}${group}/${name}`)}${namespace ? ` -n ${shellWord(namespace)}` : ""} -o yaml --show-managed-fields`;
  return h(
    "div",
    { class: "warning" },
    h(
      "p",
      null,
      "The object has no managedFields; kubectl hides them by default. Without them no field has a known owner, so an apply that conflicts in your cluster does not conflict here. To include them:",
    ),
    h(
      "div",
      { class: "command" },
      h("code", null, text),
      copyButton(app, "Copy", "copy-managed", () => text),
    ),
  );
}

/** go closes the dialog and opens a scenario. */
function go(app: App, scenario: Scenario, at: number, what: string, done: () => void): void {
  done();
  app.open({ scenario, at, object: 0 }, what);
  app.view(at === 0 ? "object" : "request");
}

/** isManifest reports whether an object has no field that an API server sets. */
const isManifest = (o: PastedObject): boolean => !o.live && o.managers.length === 0;

/** begun returns a scenario without steps for objects of a text, which have its definitions. */
function begun(app: App, out: PasteOutput, objects: PastedObject[]): Scenario {
  const [first] = objects;
  const title =
    objects.length === 1
      ? `${first!.target.kind} ${first!.target.name}`
      : `${objects.length} ${objects.every(isManifest) ? "manifests" : objects.some(isManifest) ? "objects" : "live objects"}`;
  return { ...emptyScenario(), kubernetes: app.scenario.kubernetes, definitions: defined(app, out), actors: [], title };
}

/** defined returns the definitions of the scenario and those of a text, which replace others of the same name. */
function defined(app: App, out: PasteOutput): string[] {
  const names = new Set(out.definitions.map((d) => d.name));
  return [
    ...app.scenario.definitions.filter((_, i) => !names.has(app.output?.definitions[i]?.name ?? "")),
    ...out.definitions.map((d) => d.text),
  ];
}

/** begin opens a scenario that begins with objects of a text. */
function begin(app: App, out: PasteOutput, objects: PastedObject[], done: () => void): void {
  const scenario = { ...begun(app, out, objects), objects: objects.map((o) => o.text) };
  go(app, scenario, 0, scenario.title, done);
}

function choices(app: App, out: PasteOutput, done: () => void): HTMLElement[] {
  if (out.scenario) {
    const scenario = out.scenario;
    return [
      button(
        "Open the scenario",
        "paste-scenario",
        () =>
          go(
            app,
            scenario,
            Math.min(1, scenario.steps.length),
            scenario.title ? `“${scenario.title}”` : "the scenario",
            done,
          ),
        { class: "primary" },
      ),
    ];
  }
  const objects = out.objects.filter((o) => o.known);
  if (objects.length > mostObjects) return [];
  const add = button("Add to this scenario", "paste-add", () => {
    done();
    const before = app.output?.objects.length ?? app.scenario.objects.length; // a text may contain several objects
    const names = [...out.definitions.map((d) => d.name), ...objects.map((o) => `${o.target.kind} ${o.target.name}`)];
    app.changeAndTell(
      "adding the pasted objects",
      `Added ${names.length > 5 ? `${names.slice(0, 4).join(", ")} and ${names.length - 4} more` : names.join(", ")}.`,
      (s) => {
        s.scenario.definitions = defined(app, out);
        s.scenario.objects.push(...objects.map((o) => o.text));
        if (objects.length === 0) return;
        s.at = 0;
        s.object = before;
      },
    );
  });
  if (objects.length === 0) return out.definitions.length > 0 ? [add] : [];
  const buttons = [
    button(
      objects.length === 1 ? "Start with this object" : "Start with these objects",
      "paste-begin",
      () => begin(app, out, objects, done),
      { class: "primary" },
    ),
  ];
  if (objects.every(isManifest)) {
    buttons.unshift(
      button(
        objects.length === 1 ? "Apply it as the first step" : "Apply them as the first steps",
        "paste-apply",
        () => {
          const scenario = {
            ...begun(app, out, objects),
            actors: [{ name: "alice", colour: "" }],
            steps: objects.map((o) => ({
              actor: "alice",
              do: "apply",
              subresource: "",
              note: "",
              expect: "",
              target: emptyTarget(),
              body: o.text,
            })),
          };
          go(app, scenario, 1, scenario.title, done);
        },
        { class: "primary" },
      ),
    );
    buttons[1]!.classList.remove("primary");
  }
  return [...buttons, ...(app.scenario.steps.length > 0 ? [add] : [])];
}

/** decoded returns a text in UTF-8 or, as PowerShell writes it, in UTF-16 with a byte order mark. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

/** takeDropped passes the texts of files that are dropped onto an element to take. */
export function takeDropped(target: HTMLElement, take: (text: string) => unknown, app: App): void {
  target.addEventListener("drop", (event) => {
    event.preventDefault();
    void readFiles(event.dataTransfer?.files, take, app);
  });
}

/** readFiles passes the text of each file to take. */
export async function readFiles(
  files: FileList | null | undefined,
  take: (text: string) => unknown,
  app: App,
): Promise<void> {
  for (const file of [...(files ?? [])]) {
    // a browser may empty the list of dropped files after the event
    if (file.size > maxFile) {
      app.tell(`${file.name} is larger than 16 MiB.`);
      continue;
    }
    const bytes = await file.arrayBuffer().catch(() => null);
    if (!bytes) {
      app.tell(`${file.name} cannot be read. If it is a folder, choose the files in it.`);
      continue;
    }
    let text: string;
    try {
      text = decoded(new Uint8Array(bytes));
    } catch {
      app.tell(`${file.name} is not UTF-8 text.`);
      continue;
    }
    await take(text);
  }
}

export function filePicker(text: string, take: (files: FileList | null) => void): HTMLElement {
  const input = h("input", {
    type: "file",
    accept: ".yaml,.yml,.json",
    multiple: true,
    hidden: true,
    change: () => take(input.files),
  });
  return h(
    "span",
    null,
    button(text, `pick-${text}`, () => input.click()),
    input,
  );
}
