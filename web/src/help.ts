// The help dialog: the signs beside the object, keyboard shortcuts and links.
import { chip } from "./chip";
import type { App } from "./app";
import { open } from "./dialog";
import { h } from "./dom";

export const repository = "https://github.com/patchlab-dev/patchlab";

const keys: [string, string][] = [
  ["Alt + ← →", "previous step, next step (on a Mac only outside editors)"],
  ["Alt + Home, End", "before the first step, after the last step"],
  ["Ctrl + Z, Ctrl + Shift + Z", "undo and redo, in editors and elsewhere"],
  ["Ctrl + V", "outside editors: paste objects, definitions or a scenario"],
  ["Ctrl + F", "in the object: search"],
  ["Ctrl + Shift + [ ]", "in the object: fold and unfold"],
  ["Escape, then Tab", "leave an editor, in which Tab indents"],
  ["?", "show this help"],
];

export function openHelp(app: App): void {
  const sign = (text: string, ...meaning: (Node | string)[]) => [h("dt", null, text), h("dd", null, ...meaning)];
  open(
    "Help",
    h(
      "p",
      null,
      "Every change to a Kubernetes object is made by a field manager, and the API server records in metadata.managedFields which manager owns which field. This page shows an object with its owners after each step, and the rule behind each change. It runs the engine of patchlab, which is tested against recorded responses of kube-apiserver.",
    ),
    h("h3", null, "Signs beside the object"),
    h(
      "dl",
      { class: "signs" },
      h("dt", null, chip(app, app.scenario.actors[0]?.name ?? "alice", true)),
      h("dd", null, "the owner of the line; a line with several owners is striped"),
      ...sign("┆", "the line itself has no owner, but fields in it do"),
      ...sign("#", "identifies the object; has no owner"),
      ...sign("⚙", "set by the API server, or status set by a controller"),
      ...sign("·", "no owner"),
      ...sign("+ −", "the step added or removed the line"),
      ...sign("~", "the step changed the owners of the line"),
      ...sign("⚡", "conflict: the step would change the line, but does not own it"),
      ...sign("U+200B", "an invisible character, or one that changes the direction of the text"),
    ),
    h("h3", { id: "shortcuts" }, "Keyboard shortcuts"),
    h(
      "dl",
      { class: "signs keys" },
      ...keys.flatMap(([key, what]) => [h("dt", null, h("kbd", null, key)), h("dd", null, what)]),
    ),
    h(
      "p",
      { class: "row" },
      link("Documentation", `${repository}/tree/main/doc`),
      link("Repository", repository),
      link(
        "Server-side apply in the Kubernetes documentation",
        "https://kubernetes.io/docs/reference/using-api/server-side-apply/",
      ),
    ),
  );
}

const link = (text: string, href: string): HTMLElement => h("a", { href, target: "_blank", rel: "noopener" }, text);
