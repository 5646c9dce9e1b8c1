// What the panel shows before the first step: a pasted object, its managers, and manifests to begin with.
import type { App } from "./app";
import { chip } from "./chip";
import { button, h, replace } from "./dom";
import { clock } from "./object";
import { deletion } from "./result";
import { addActor, emptyTarget, sameTexts } from "./state";
import { toolOf } from "./tools";

export class Start {
  #app: App;
  /** The live objects, and the one that is shown, for which manifests are offered. */
  #offered: string[] = [];

  constructor(app: App) {
    this.#app = app;
  }

  /** draw shows the managers of a pasted object in the body of the panel, and offers manifests to apply to it. */
  async draw(body: HTMLElement): Promise<void> {
    const { output, scenario, state } = this.#app;
    const object = output!.object!;
    const notes = output!.objects[state.object]?.notes ?? [];
    const begins = [...scenario.objects, JSON.stringify([state.object, object])];
    if (sameTexts(this.#offered, begins) && body.querySelector(".begun")) return; // a name that is being typed is kept
    const { steps } = await this.#app.engine
      .ask("starts", { scenario, object: state.object })
      .catch(() => ({ steps: [] }));
    if (this.#app.state.at !== 0 || this.#app.tab !== "happened") return;
    this.#offered = begins;
    const name = h("input", {
      id: "next-manager",
      value: this.#free(),
      maxlength: "128",
      spellcheck: "false",
      autocapitalize: "off",
    });
    const go = (actor: string, action: string, manifest: string) =>
      this.#app.change("adding a manifest", (s) => {
        addActor(s.scenario, actor);
        s.scenario.steps.splice(0, 0, {
          actor,
          do: action,
          subresource: "",
          target: emptyTarget(),
          body: manifest,
          note: "",
          expect: "",
        });
        s.at = 1;
      });
    const own = steps.slice(0, -1);
    const blank = steps.at(-1);
    replace(
      body,
      h(
        "div",
        { class: "stacked begun" },
        h(
          "p",
          { class: "verdict" },
          `The ${object.managers.length > 0 || isLive.test(scenario.objects[output!.objects[state.object]!.text]!) ? "live object" : "manifest"}, as pasted`,
        ),
        ...notes.map((n) => h("p", { class: "warning" }, n)),
        deletion(this.#app),
        object.managers.length > 0
          ? h(
              "table",
              { class: "managers" },
              h("caption", { class: "sr-only" }, "Its field managers"),
              h(
                "thead",
                null,
                h(
                  "tr",
                  null,
                  h("th", { scope: "col" }, "Manager"),
                  h("th", { scope: "col" }, "Operation"),
                  h("th", { scope: "col" }, "Last change"),
                ),
              ),
              h(
                "tbody",
                null,
                ...object.managers.map((m) =>
                  h(
                    "tr",
                    null,
                    h(
                      "td",
                      null,
                      chip(this.#app, m.name),
                      " ",
                      h("span", { class: "quiet" }, toolOf(m.name, m.subresource)),
                    ),
                    h("td", null, m.operation, m.subresource ? ` of ${m.subresource}` : ""),
                    h("td", null, clock(m.time)),
                  ),
                ),
              ),
            )
          : null,
        h("h3", { class: "edit" }, "Now apply a manifest"),
        ...own.map((s, i) =>
          button(
            s.do === "client-side-apply"
              ? "client-side apply, starting from the last-applied annotation"
              : `as ${s.actor}, starting from what it applied last`,
            `start-${i}`,
            () => go(s.actor, s.do, s.body),
            { class: "choice edit" },
          ),
        ),
        blank
          ? h(
              "form",
              {
                class: "row tight edit",
                submit: (e: Event) => {
                  e.preventDefault();
                  go(name.value.trim() || "alice", blank.do, blank.body);
                },
              },
              h("label", null, h("span", { class: "label" }, "as"), name),
              h("button", { type: "submit", class: own.length === 0 ? "primary" : "" }, "Write the manifest"),
            )
          : null,
      ),
    );
  }

  #free(): string {
    const taken = new Set(this.#app.output?.object?.managers.map((m) => m.name));
    return ["gitops", "alice", "bob", "carol"].find((n) => !taken.has(n)) ?? "me";
  }
}

/** A field of an object that an API server has stored. */
const isLive = /^\s*"?(uid|resourceVersion)"?:/m;
