// The toolbar: examples, pasting, undo, the Kubernetes version, definitions, sharing, help.
import type { App } from "./app";
import { notice, open } from "./dialog";
import { button, h, replace, select } from "./dom";
import { makeEditor } from "./editor";
import { EngineError } from "./engine";
import { openHelp } from "./help";
import { filePicker, openPaste, readFiles, takeDropped } from "./paste";
import { setting } from "./share";
import { openShare } from "./sharing";
import { emptyScenario, emptyStep } from "./state";

/** examples loads the example files, sorted by name. */
export const examples = async (): Promise<string[]> => (await import("./examples")).default;

/** A tool of the toolbar that another part of the page adds. */
export interface Tool {
  text: string;
  key: string;
  open(app: App): void;
}

export class Toolbar {
  #app: App;
  #look = "";
  #host: HTMLElement;
  #tools: Tool[];

  constructor(app: App, host: HTMLElement, tools: Tool[]) {
    this.#app = app;
    this.#host = host;
    this.#tools = tools;
    app.onChange(() => this.#draw());
  }

  #draw(): void {
    const app = this.#app;
    const { scenario } = app;
    const bad = app.output?.definitions.filter((d) => !d.ok).length ?? 0;
    const { undoes, redoes } = app.history;
    const look = JSON.stringify([
      app.about.versions,
      scenario.kubernetes,
      scenario.definitions.length,
      bad,
      undoes,
      redoes,
    ]);
    if (look === this.#look) return;
    this.#look = look;
    replace(
      this.#host,
      ...this.#tools.map((tool) => button(tool.text, tool.key, () => tool.open(app), { class: "tool" })),
      button("Examples", "examples", () => void openExamples(app), { class: "tool" }),
      h(
        "button",
        {
          type: "button",
          class: "tool",
          "data-key": "paste",
          "aria-label": "Paste object",
          click: () => openPaste(app),
        },
        "Paste",
        h("span", { class: "roomy" }, " object"),
      ),
      h(
        "span",
        { class: "group edit" },
        button("↶", "undo", () => app.undo(), {
          "aria-label": "Undo",
          title: undoes ? `Undo: ${undoes} (Ctrl+Z)` : "Nothing to undo",
          disabled: !undoes,
          class: "icon",
        }),
        button("↷", "redo", () => app.redo(), {
          "aria-label": "Redo",
          title: redoes ? `Redo: ${redoes} (Ctrl+Shift+Z)` : "Nothing to redo",
          disabled: !redoes,
          class: "icon",
        }),
      ),
      h("span", { class: "spacer" }),
      app.about.versions.length > 0 ? this.#version() : null,
      button(
        `CRDs${scenario.definitions.length > 0 ? ` (${scenario.definitions.length})` : ""}${bad > 0 ? " ⚠" : ""}`,
        "schemas",
        () => openDefinitions(app),
        { class: "tool" },
      ),
      button("Share", "share", () => void openShare(app), { class: "primary" }),
      button("More", "more", () => this.#more(), { class: "tool" }),
      button("?", "help", () => openHelp(app), { "aria-label": "Help", title: "Help and keys (?)", class: "icon" }),
    );
  }

  #version(): HTMLElement {
    const app = this.#app;
    const { kubernetes } = app.scenario;
    const { version } = app.about;
    const versions = app.about.versions.toReversed().map((v): [string, string] => [v === version ? "" : v, v]);
    if (kubernetes && !app.about.versions.includes(kubernetes)) versions.push([kubernetes, `${kubernetes} (unknown)`]);
    return select("Kubernetes", "version", versions, kubernetes === version ? "" : kubernetes, (v) =>
      app.change("changing the Kubernetes version", (s) => (s.scenario.kubernetes = v)),
    );
  }

  #more(): void {
    const app = this.#app;
    const dialog = open(
      "More",
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "row narrow" },
          button("Redo", "more-redo", () => app.redo(), { disabled: !app.history.redoes }),
          button("CRDs", "more-schemas", () => {
            dialog.close();
            openDefinitions(app);
          }),
          this.#version(),
        ),
        filePicker("Open a scenario file", (files) => {
          dialog.close();
          void readFiles(files, (text) => importText(app, text), app);
        }),
        button("Start from scratch", "new", () => {
          dialog.close();
          app.open(
            {
              scenario: {
                ...emptyScenario(),
                actors: [
                  { name: "alice", colour: "" },
                  { name: "bob", colour: "" },
                ],
                steps: [emptyStep("alice")],
              },
              at: 1,
              object: 0,
            },
            "a new scenario",
          );
        }),
        button("Show the introduction", "show-start", () => {
          dialog.close();
          delete document.documentElement.dataset.begun;
          document.getElementById("start")?.querySelector<HTMLElement>("a")?.focus();
        }),
        button("Print the object", "print", () => {
          dialog.close();
          window.print();
        }),
      ),
      select(
        "Theme",
        "theme",
        [
          ["system", "System"],
          ["light", "Light"],
          ["dark", "Dark"],
        ],
        setting("theme") || "system",
        setTheme,
      ),
    );
  }
}

/** openExamples lists the examples, which can be searched. */
export async function openExamples(app: App): Promise<void> {
  const list = h("ul", { class: "menu" });
  const none = h("p", { class: "empty", hidden: true }, "No matching example.");
  const items: { element: HTMLElement; text: string }[] = [];
  const search = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { element, text } of items) element.hidden = !words.every((w) => text.includes(w));
    none.hidden = items.some(({ element }) => !element.hidden);
  };
  const find = h("input", {
    type: "search",
    placeholder: "Search: force, list, autoscaler…",
    "aria-label": "Search the examples",
    input: search,
  });
  const dialog = open(
    "Examples",
    h("p", null, "Each example is a short scenario. Step through it, then change it."),
    find,
    list,
    none,
  );
  find.focus();
  try {
    for (const text of await examples()) {
      const { scenario } = await app.engine.ask("import", { text });
      const element = h(
        "li",
        null,
        h(
          "button",
          {
            type: "button",
            click: () => {
              dialog.close();
              app.open({ scenario, at: Math.min(1, scenario.steps.length), object: 0 }, `“${scenario.title}”`);
            },
          },
          h("b", null, scenario.title),
          h("span", null, firstSentence(scenario.about)),
        ),
      );
      items.push({ element, text: text.toLowerCase() });
      list.append(element);
    }
    search();
  } catch (error) {
    replace(list, h("li", { class: "bad" }, `The examples could not be loaded: ${(error as Error).message}`));
  }
}

function openDefinitions(app: App): void {
  const list = h("ul", { class: "plain" });
  const problems = h("ul", { class: "problems", "aria-live": "polite", "aria-label": "Problems in the definition" });
  const editor = makeEditor({
    label: "A CustomResourceDefinition, as YAML or JSON",
    inDialog: true,
    changed: () => undefined,
  });
  const show = () =>
    replace(
      list,
      ...app.scenario.definitions.map((text, i) => {
        const result = app.output?.definitions[i];
        return h(
          "li",
          null,
          h("b", null, result?.name || `definition ${i + 1}`),
          result && !result.ok ? h("span", { class: "bad" }, ` ✗ ${result.mark.message}`) : null,
          " ",
          button("Edit", `edit-${i}`, () => {
            edited = text;
            editor.show(text);
            editor.focus();
          }),
          button("Remove", `drop-${i}`, () =>
            app.changeAndTell("removing a definition", "Removed the definition.", (s) =>
              s.scenario.definitions.splice(i, 1),
            ),
          ),
        );
      }),
    );
  /** The definition that is being edited, which its new text replaces. */
  let edited = "";
  const add = async (text: string) => {
    replace(problems);
    editor.annotate([]);
    try {
      // validate the definition before adding it; an invalid one stays in the editor
      const out = await app.engine.ask("run", {
        scenario: { ...emptyScenario(), kubernetes: app.scenario.kubernetes, definitions: [text] },
        at: 0,
        against: 0,
        changes: 0,
        object: 0,
      });
      const result = out.definitions[0]!;
      if (!result.ok)
        throw new EngineError({
          message: result.mark.message.replace("live objects belong under objects", "use Paste object for it"),
          line: result.mark.line,
          column: result.mark.column,
        });
      editor.show("");
      app.change("adding a definition", ({ scenario: { definitions } }) => {
        const before =
          app.output?.definitions.findIndex(({ name }, i) =>
            edited ? definitions[i] === edited : name === result.name,
          ) ?? -1;
        if (before >= 0) definitions[before] = text;
        else definitions.push(text);
      });
      edited = "";
    } catch (error) {
      const { message, line, column } =
        error instanceof EngineError ? error : { message: String(error), line: 0, column: 0 };
      editor.show(text.length > 1 << 20 ? "" : text);
      editor.annotate([{ line, column, message }]);
      replace(
        problems,
        h(
          "li",
          null,
          line > 0 ? button(`line ${line}`, "definition-problem", () => editor.goTo(line, column)) : null,
          ` ${message}`,
        ),
      );
    }
  };
  const leave = app.onChange(show);
  show();
  const drop = h(
    "div",
    { class: "drop" },
    h(
      "p",
      null,
      "Paste a CustomResourceDefinition here, or drop its file. ",
      h("code", null, "kubectl get crd NAME -o yaml"),
      " prints it.",
    ),
    editor.host,
    problems,
    h(
      "div",
      { class: "row" },
      button("Add", "add-definition", () => void add(editor.text()), { class: "primary" }),
      filePicker("Choose a file", (files) => void readFiles(files, add, app)),
    ),
  );
  const dialog = open(
    "Custom resource definitions",
    h("p", null, "A CustomResourceDefinition declares the fields of its custom resources and how they merge."),
    list,
    drop,
  );
  dialog.addEventListener("close", leave);
  takeDropped(dialog, add, app);
  editor.focus();
}

/** isScenario reports whether a text has the first field of a scenario file at its top. Objects have a field of this name only further down. */
const isScenario = (text: string): boolean => /^"?scenario"?\s*:/m.test(text) || /^\s*\{\s*"scenario"\s*:/.test(text);

/** importText opens a scenario, or the paste dialog for any other text. */
export async function importText(app: App, text: string): Promise<void> {
  if (!isScenario(text)) {
    openPaste(app, text);
    return;
  }
  try {
    const { scenario } = await app.engine.ask("import", { text });
    app.open(
      { scenario, at: Math.min(1, scenario.steps.length), object: 0 },
      scenario.title ? `“${scenario.title}”` : "the file",
    );
  } catch (error) {
    notice(`This is not a valid scenario: ${(error as Error).message}. Your scenario is unchanged.`);
  }
}

const firstSentence = (text: string): string => /^[^.]*\.?/.exec(text.trim())![0].replaceAll("\n", " ");

function setTheme(theme: string): void {
  setting("theme", theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
