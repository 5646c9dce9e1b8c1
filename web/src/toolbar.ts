// The top of the page: examples, the Kubernetes version, own schemas, sharing, files.
import { type App, emptyScenario, emptyStep } from "./app";
import { button, h, replace, save, select } from "./dom";
import { makeEditor } from "./editor";
import { EngineError } from "./engine";

/** examples loads the example files, in the order of their names. */
export const examples = async (): Promise<string[]> => (await import("./examples")).default;

type Theme = "system" | "light" | "dark";

export class Toolbar {
  #app: App;
  #look = "";
  #host: HTMLElement;

  constructor(app: App, host: HTMLElement) {
    this.#app = app;
    this.#host = host;
    showTheme(storedTheme());
    app.onChange(() => this.#draw());
  }

  #draw(): void {
    const app = this.#app;
    const { scenario } = app;
    const bad = app.output?.definitions.filter((d) => !d.ok).length ?? 0;
    const look = JSON.stringify([app.about.versions, scenario.kubernetes, scenario.definitions.length, bad, storedTheme()]);
    if (look === this.#look) return;
    this.#look = look;
    const versions = app.about.versions.toReversed().map((v, i): [string, string] => [i === 0 ? "" : v, v]);
    replace(this.#host,
      h("h1", null, "patchlab ", h("span", null, "playground")),
      h("nav", { class: "row tight", "aria-label": "Playground" },
        button("Examples", "examples", () => void this.#examples()),
        select("Kubernetes", "version", versions, scenario.kubernetes === versions[0]?.[1] ? "" : scenario.kubernetes, (v) => app.change((s) => (s.scenario.kubernetes = v))),
        button(`Own schemas${scenario.definitions.length > 0 ? ` (${scenario.definitions.length})` : ""}${bad > 0 ? " ⚠" : ""}`, "schemas", () => this.#schemas()),
        button("Share", "share", () => void this.#share()),
        button("Files", "files", () => this.#files()),
        select("Theme", "theme", [["system", "as system"], ["light", "light"], ["dark", "dark"]], storedTheme(), (v) => setTheme(v as Theme)),
      ),
    );
  }

  async #examples(): Promise<void> {
    const list = h("ul", { class: "menu" });
    const dialog = open("Examples", h("p", null, "Each is a scenario to step through and to change."), list);
    for (const text of await examples()) {
      const { scenario } = await this.#app.engine.ask("import", { text });
      list.append(h("li", null, h("button", { type: "button", click: () => {
        dialog.close();
        this.#app.open({ scenario, at: Math.min(1, scenario.steps.length) }, `“${scenario.title}”`);
      } }, h("b", null, scenario.title), h("span", null, firstSentence(scenario.about)))));
    }
  }

  #schemas(): void {
    const app = this.#app;
    const list = h("ul", { class: "plain" });
    const problems = h("ul", { class: "problems", "aria-live": "polite", "aria-label": "Problems in the definition" });
    const editor = makeEditor("A CustomResourceDefinition, as YAML or JSON", "", () => undefined);
    const show = () => replace(list, ...app.scenario.definitions.map((text, i) => {
      const result = app.output?.definitions[i];
      return h("li", null, result?.name || `definition ${i + 1}`, result && !result.ok ? h("span", { class: "bad" }, ` ✗ ${result.mark.message}`) : null, " ",
        button("Edit", `edit-${i}`, () => {
          editor.setText(text);
          remove(i);
        }), button("Remove", `drop-${i}`, () => remove(i)));
    }));
    const remove = (i: number) => app.change((s) => s.scenario.definitions.splice(i, 1));
    const add = async (text: string) => {
      replace(problems);
      editor.setMarks([]);
      try { // it is tried before it is taken: what is none is never lost and never in the way
        const out = await app.engine.ask("run", { scenario: { ...emptyScenario(), kubernetes: app.scenario.kubernetes, definitions: [text] }, at: 0, against: 0, changes: 0, object: 0 });
        const result = out.definitions[0]!;
        if (!result.ok) throw new EngineError({ message: result.mark.message, line: result.mark.line, column: result.mark.column });
        editor.setText("");
        app.change((s) => s.scenario.definitions.push(text));
      } catch (error) {
        const { message, line, column } = error instanceof EngineError ? error : { message: String(error), line: 0, column: 0 };
        editor.setText(text.length > 1 << 20 ? "" : text);
        editor.setMarks([{ line, column, message }]);
        replace(problems, h("li", null, line > 0 ? button(`line ${line}`, "definition-problem", () => editor.goTo(line, column)) : null, ` ${message}`));
      }
    };
    app.onChange(show);
    show();
    const drop = h("div", { class: "drop", dragover: (e: DragEvent) => e.preventDefault(), drop: (e: DragEvent) => {
      e.preventDefault();
      void readFiles(e.dataTransfer?.files, add, app);
    } }, h("p", null, "Paste a CustomResourceDefinition here, or drop its file."), editor.host, problems,
    h("div", { class: "row" }, button("Add", "add-definition", () => void add(editor.text()), { class: "primary" }), filePicker("Choose a file", ".yaml,.yml,.json", (files) => void readFiles(files, add, app))));
    open("Own schemas", h("p", null, "With a CustomResourceDefinition the playground knows how the fields of your own kind merge."), list, drop);
    editor.focus();
  }

  async #share(): Promise<void> {
    const link = await this.#app.link();
    history.replaceState(null, "", link);
    const field = h("input", { value: link, readonly: true, "aria-label": "Link to this state", focus: () => field.select() });
    open("Share", h("p", null, "The link holds the whole state. Nothing is sent to any server: what follows the # stays in the browser."), h("div", { class: "row" }, field,
      button("Copy", "copy-link", () => void navigator.clipboard.writeText(link).then(() => this.#app.tell("The link is copied."), () => field.select()), { class: "primary" })),
      link.length > 30_000 ? h("p", { class: "warning" }, "The link is long; some programs cut such links. A scenario file is safer.") : null);
    field.focus();
  }

  #files(): void {
    const app = this.#app;
    const file = (app.scenario.title || "scenario").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    const give = async (call: "export" | "script", name: string, type: string) => {
      try {
        save(name, (await app.engine.ask(call, { scenario: app.scenario })).text, type);
      } catch (error) {
        app.tell((error as Error).message);
      }
    };
    const dialog = open("Files",
      h("div", { class: "stack" },
        button("Save as a scenario file", "export", () => void give("export", `${file}.yaml`, "application/yaml")),
        button("Save as a kubectl script", "script", () => void give("script", `${file}.sh`, "text/x-shellscript")),
        filePicker("Open a scenario file", ".yaml,.yml,.json", (files) => {
          dialog.close();
          void readFiles(files, (text) => importScenario(app, text), app);
        }),
        button("Begin with nothing", "new", () => {
          dialog.close();
          app.open({ scenario: { ...emptyScenario(), actors: [{ name: "alice", colour: "" }, { name: "bob", colour: "" }], steps: [emptyStep("alice")] }, at: 1 }, "A new scenario");
        }),
      ));
  }
}

/** importScenario opens a scenario file; one that is none changes nothing. */
export async function importScenario(app: App, text: string): Promise<void> {
  try {
    const { scenario } = await app.engine.ask("import", { text });
    app.open({ scenario, at: Math.min(1, scenario.steps.length) }, scenario.title ? `“${scenario.title}”` : "The file");
  } catch (error) {
    app.tell(`This is no scenario: ${(error as Error).message}. What you had is still here.`);
  }
}

const maxFile = 16 << 20;

async function readFiles(files: FileList | null | undefined, take: (text: string) => Promise<void>, app: App): Promise<void> {
  for (const file of files ?? []) {
    if (file.size > maxFile) {
      app.tell(`${file.name} is larger than 16 MiB.`);
      continue;
    }
    try {
      await take(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
    } catch {
      app.tell(`${file.name} is no text in UTF-8.`);
    }
  }
}

function filePicker(text: string, accept: string, take: (files: FileList | null) => void): HTMLElement {
  const input = h("input", { type: "file", accept, class: "sr-only", tabindex: "-1", "aria-hidden": "true", change: () => take(input.files) });
  return h("span", null, button(text, `pick-${text}`, () => input.click()), input);
}

/** open shows a dialog. Escape closes it; it is gone then. */
function open(title: string, ...children: (Node | null)[]): HTMLDialogElement {
  const dialog = h("dialog", { "aria-labelledby": "dialog-title", close: () => dialog.remove() },
    h("div", { class: "heading" }, h("h2", { id: "dialog-title" }, title), button("Close", "close", () => dialog.close())), ...children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const firstSentence = (text: string): string => /^[^.]*\.?/.exec(text.trim())![0].replaceAll("\n", " ");

const themeKey = "patchlab.playground.theme";

function storedTheme(): Theme {
  const stored = localStorage.getItem(themeKey);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function setTheme(theme: Theme): void {
  localStorage.setItem(themeKey, theme);
  showTheme(theme);
}

function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
