// What the signs mean, the keys, and where to read on.
import { chip } from "./chip";
import type { App } from "./app";
import { open } from "./dialog";
import { h } from "./dom";

export const repository = "https://github.com/patchlab-dev/patchlab";

const keys: [string, string][] = [
  ["Alt + ← →", "one step back, one step on"],
  ["Alt + Home, End", "before the first step, all steps"],
  ["Ctrl + Z, Ctrl + Shift + Z", "undo and redo, in an editor and everywhere else"],
  ["Ctrl + V", "outside of editors: paste an object, a definition or a scenario"],
  ["Ctrl + F", "in the object: search"],
  ["Ctrl + Shift + [ ]", "in the object: fold and unfold"],
  ["Escape, then Tab", "out of an editor, where Tab indents"],
  ["?", "this help"],
];

export function openHelp(app: App): void {
  const sign = (text: string, ...told: (Node | string)[]) => [h("dt", null, text), h("dd", null, ...told)];
  open("Help",
    h("p", null, "Everybody who changes an object in Kubernetes does so as a field manager, and the API server writes down who owns which field. Here you see the object with its owners after each step, and why it is so. The page runs the engine of patchlab, which is held against the recorded answers of kube-apiserver."),
    h("h3", null, "In the object"),
    h("dl", { class: "signs" },
      h("dt", null, chip(app, app.scenario.actors[0]?.name ?? "alice", true)), h("dd", null, "an owner: a letter, a shape and a colour each; a striped line has several"),
      ...sign("┆", "nobody owns the line itself; what stands below it has owners"), ...sign("#", "says which object this is; nobody owns it"),
      ...sign("⚙", "set by the API server, or by who writes the status"), ...sign("·", "nobody’s"),
      ...sign("+ −", "lines that the step added or removed"), ...sign("~", "lines that have other owners than before"), ...sign("⚡", "lines that somebody else wants to change: a conflict"),
      ...sign("U+200B", "a character that cannot be seen, or that turns the text around")),
    h("h3", { id: "shortcuts" }, "Keys"),
    h("dl", { class: "signs keys" }, ...keys.flatMap(([key, what]) => [h("dt", null, h("kbd", null, key)), h("dd", null, what)])),
    h("p", { class: "row" }, link("Documentation", `${repository}/tree/main/doc`), link("Repository", repository), link("Server-side apply, in Kubernetes’ documentation", "https://kubernetes.io/docs/reference/using-api/server-side-apply/")));
}

const link = (text: string, href: string): HTMLElement => h("a", { href, target: "_blank", rel: "noopener" }, text);
