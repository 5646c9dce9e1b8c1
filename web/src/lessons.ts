// Lessons: scenarios with questions that the user answers before the result of a step is shown.
// The current lesson is shown above the page.
import { type App, actionNames } from "./app";
import { chip } from "./chip";
import { notice, open } from "./dialog";
import { button, h, replace } from "./dom";
import "./lessons.css";
import type { LessonOutput, Question, Scenario } from "./messages";
import { keepInBrowser } from "./share";
import type { State } from "./state";
import { openExamples } from "./toolbar";

/** The result of a completed lesson: the number of correct answers, and of questions. */
interface Progress {
  right: number;
  of: number;
}

const key = "patchlab.playground.lessons";

/** The results that could not be stored, by lesson title. */
const unsaved: Record<string, Progress> = {};

/** progress returns the results of completed lessons by title. */
function progress(): Record<string, Progress> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "{}");
    return typeof stored === "object" ? { ...(stored as Record<string, Progress> | null), ...unsaved } : unsaved;
  } catch {
    return unsaved;
  }
}

/** keepProgress stores the result of a lesson. The first time that this fails, it shows a message. */
function keepProgress(title: string, done: Progress): void {
  if (keepInBrowser(key, JSON.stringify({ ...progress(), [title]: done }))) return;
  if (Object.keys(unsaved).length === 0)
    notice(
      "The browser's storage is full or turned off: your progress in the lessons is lost when the page is closed or reloaded.",
      undefined,
      true,
    );
  unsaved[title] = done;
}

let lessons: Promise<LessonOutput[]> | undefined;

/** load loads all lessons once. */
function load(app: App): Promise<LessonOutput[]> {
  lessons ??= import("./lessonfiles").then((files) =>
    Promise.all(files.default.map((text) => app.engine.ask("lesson", { text }))),
  );
  lessons.catch(() => (lessons = undefined)); // retry on the next request
  return lessons;
}

/** words renders a text in which backticks enclose code. */
const words = (text: string): (Node | string)[] =>
  text.split("`").map((part, i) => (i % 2 === 1 ? h("code", null, part) : part));

const firstSentence = (text: string): string =>
  /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0].replaceAll("\n", " ") ?? text;

/** openLessons lists the lessons by their groups. */
export async function openLessons(app: App): Promise<void> {
  const list = h("div", { class: "lesson-list" });
  const none = h("p", { class: "empty", hidden: true }, "No matching lesson.");
  const find = h("input", {
    type: "search",
    placeholder: "Search: replicas, force, list…",
    "aria-label": "Search the lessons",
    input: () => search(),
  });
  const groups: { section: HTMLElement; items: { element: HTMLElement; text: string }[] }[] = [];
  const search = () => {
    const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { section, items } of groups) {
      for (const { element, text } of items) element.hidden = !wanted.every((w) => text.includes(w));
      section.hidden = items.every(({ element }) => element.hidden);
    }
    none.hidden = groups.some(({ section }) => !section.hidden);
  };
  const dialog = open(
    "Lessons",
    h("p", null, "Predict each result before it is shown. Your progress is kept in this browser only."),
    find,
    list,
    none,
    h(
      "div",
      { class: "row" },
      button(
        "Scenarios without questions: the examples",
        "to-examples",
        () => {
          dialog.close();
          void openExamples(app);
        },
        { class: "quiet" },
      ),
    ),
  );
  find.focus();
  const add = (group: string, scenario: Scenario, done: Progress | undefined, take: () => void) => {
    let at = groups.find(({ section }) => section.dataset.group === group);
    if (!at) {
      const heading = h("h3", null, group);
      at = { section: h("section", { "data-group": group }, heading, h("ul", { class: "menu" })), items: [] };
      groups.push(at);
      list.append(at.section);
    }
    const element = h(
      "li",
      null,
      h(
        "button",
        {
          type: "button",
          click: () => {
            dialog.close();
            take();
          },
        },
        h(
          "b",
          null,
          scenario.title,
          done ? h("span", { class: "good" }, ` ✓ ${done.right} of ${done.of} correct`) : null,
        ),
        h("span", null, firstSentence(scenario.about)),
      ),
    );
    at.items.push({
      element,
      text: `${group} ${scenario.title} ${scenario.about} ${scenario.steps.map((s) => `${s.body} ${s.note} ${s.do}`).join(" ")}`.toLowerCase(),
    });
    at.section.querySelector("ul")!.append(element);
  };
  try {
    const [all, kept] = [await load(app), progress()];
    for (const lesson of all)
      add(lesson.group, lesson.scenario, kept[lesson.scenario.title], () => new Lesson(app, lesson));
    search();
  } catch (error) {
    replace(list, h("p", { class: "bad" }, `The lessons could not be loaded: ${(error as Error).message}`));
  }
}

const stateOf = (scenario: Scenario, at: number): State => ({ scenario: structuredClone(scenario), at, object: 0 });

/** The current lesson, if there is one. */
let current: Lesson | undefined;

/** A Lesson shows a lesson step by step. */
class Lesson {
  #app: App;
  #lesson: LessonOutput;
  #host = h("section", { id: "lesson", "aria-labelledby": "lesson-title" });
  /** The number of steps that have been run, of correct answers, and of all answers. */
  #at = 0;
  #right = 0;
  #answered = 0;
  /** The index of the chosen answer to the question of the last step, until the user continues. */
  #chosen: number | undefined;
  /** Ends the calls for changes of the page. */
  #leave: () => void;

  constructor(app: App, lesson: LessonOutput) {
    current?.close();
    current = this;
    this.#app = app;
    this.#lesson = lesson;
    app.open(stateOf(lesson.scenario, 0), `the lesson “${lesson.scenario.title}”`);
    document.getElementById("page")!.before(this.#host);
    this.#draw();
    this.#leave = app.onChange((topic) => {
      if (topic === "shape" && app.scenario.title !== lesson.scenario.title) this.close();
    });
    this.#focus();
  }

  close(): void {
    this.#leave();
    this.#host.remove();
    if (current === this) current = undefined;
  }

  #question(step: number): Question | undefined {
    return this.#lesson.questions.find((q) => q.step === step);
  }

  /** #run shows the result of the next step. */
  #run(chosen?: number): void {
    const question = this.#question(this.#at + 1);
    this.#at++;
    this.#chosen = chosen;
    if (question && chosen !== undefined) {
      this.#answered++;
      if (question.choices[chosen]!.right) this.#right++;
    }
    this.#app.select(this.#at);
    if (this.#at === this.#lesson.scenario.steps.length)
      keepProgress(this.#lesson.scenario.title, { right: this.#right, of: this.#answered });
    this.#draw();
    this.#focus();
  }

  #focus(): void {
    this.#host.querySelector<HTMLElement>(".lesson-next, .choices button")?.focus({ preventScroll: true });
  }

  #draw(): void {
    const { scenario } = this.#lesson;
    const count = scenario.steps.length;
    replace(
      this.#host,
      h(
        "header",
        null,
        h("h2", { id: "lesson-title" }, scenario.title),
        h("span", { class: "lesson-at" }, `${this.#lesson.group} · step ${this.#at} of ${count}`),
        button("All lessons", "lesson-list", () => void openLessons(this.#app)),
        button("✕", "lesson-close", () => this.close(), {
          "aria-label": "Leave the lesson",
          title: "Leave the lesson",
          class: "icon",
        }),
      ),
      h(
        "div",
        { class: "lesson-body" },
        this.#at === 0 ? h("p", null, ...words(scenario.about)) : this.#verdict(),
        this.#at === count ? this.#end() : this.#chosen === undefined ? this.#next() : this.#goOn(),
      ),
    );
  }

  /** #verdict shows whether the answer was correct, and the reason. */
  #verdict(): HTMLElement | null {
    const question = this.#question(this.#at);
    if (!question || this.#chosen === undefined) return null;
    const right = question.choices.find((c) => c.right)!;
    const ok = question.choices[this.#chosen]!.right;
    return h(
      "div",
      { class: "lesson-verdict", role: "status" },
      h(
        "p",
        { class: ok ? "good" : "bad" },
        h("b", null, ok ? "✓ Correct: " : "✗ Not quite. The answer: "),
        ...words(right.text),
      ),
      h("p", null, ...words(question.because)),
    );
  }

  /** #goOn lets the user look at the result before the next step is shown. */
  #goOn(): HTMLElement {
    return button(
      "Continue",
      "lesson-go-on",
      () => {
        this.#chosen = undefined;
        this.#draw();
        this.#focus();
      },
      { class: "primary lesson-next" },
    );
  }

  /** #next shows the next step, with its question. */
  #next(): HTMLElement {
    const step = this.#lesson.scenario.steps[this.#at]!;
    const question = this.#question(this.#at + 1);
    const via = step.subresource ? ` of the ${step.subresource} subresource` : "";
    return h(
      "div",
      { class: "lesson-next-step" },
      h(
        "div",
        { class: "lesson-request" },
        h(
          "p",
          { class: "row tight" },
          h("b", null, `Step ${this.#at + 1}`),
          chip(this.#app, step.actor),
          h("span", { class: "quiet" }, `${actionNames[step.do] ?? step.do}${via}`),
        ),
        step.note ? h("p", null, step.note) : null,
        step.body
          ? h("pre", { tabindex: "0", role: "region", "aria-label": `What ${step.actor} sends` }, step.body)
          : null,
      ),
      question
        ? h(
            "div",
            { class: "lesson-question", role: "group", "aria-labelledby": "lesson-ask" },
            h("p", { id: "lesson-ask" }, h("b", null, ...words(question.ask))),
            h(
              "ul",
              { class: "choices" },
              ...question.choices.map((c, i) =>
                h(
                  "li",
                  null,
                  h(
                    "button",
                    { type: "button", "data-key": `choice-${i}`, click: () => this.#run(i) },
                    ...words(c.text),
                  ),
                ),
              ),
            ),
          )
        : button("Run the step", "lesson-run", () => this.#run(), { class: "primary lesson-next" }),
    );
  }

  /** #end offers the next lesson. */
  #end(): HTMLElement {
    const row = h("div", { class: "row" });
    void load(this.#app).then((all) => {
      const next = all[all.indexOf(this.#lesson) + 1];
      if (next)
        row.append(
          button(`Next: ${next.scenario.title}`, "lesson-after", () => void new Lesson(this.#app, next), {
            class: "primary lesson-next",
          }),
        );
      row.append(button("Keep experimenting", "lesson-stay", () => this.close()));
      if (document.activeElement === document.body) this.#focus();
    });
    const result =
      this.#answered === 0 ? "Lesson complete." : `Lesson complete: ${this.#right} of ${this.#answered} correct.`;
    return h("div", { class: "lesson-end" }, h("p", { role: "status" }, h("b", null, result)), row);
  }
}
