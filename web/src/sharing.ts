// The share dialog: a link, the HTML of an embedded frame, and downloads.
import type { App } from "./app";
import { copyButton, open } from "./dialog";
import { button, h, replace, save, select } from "./dom";

const panels: [string, string][] = [["all", "everything"], ["object", "the object"], ["request", "the request"], ["result", "the result"]];

export async function openShare(app: App): Promise<void> {
  const link = await app.link();
  history.replaceState(null, "", link);
  const field = h("input", { value: link, readonly: true, "aria-label": "Link to this state", focus: () => field.select() });
  const title = titleOf(app);
  let panel = "all";
  let readOnly = true;
  const code = h("pre", { tabindex: "0", role: "region", "aria-label": "HTML of the frame" });
  const frame = () => `<iframe src="${embedded(link, panel, readOnly)}" title="${title.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}" width="100%" height="420" loading="lazy"></iframe>`;
  const show = () => replace(code, frame());
  const check = h("input", { type: "checkbox", checked: true, change: () => {
    readOnly = check.checked;
    show();
  } });
  show();
  open("Share",
    h("p", null, "The link contains the whole scenario. Browsers do not send the part after # to any server."),
    h("div", { class: "row link" }, field, copyButton(app, "Copy", "copy-link", () => link, { class: "primary" })),
    link.length > 30_000 ? h("p", { class: "warning" }, "The link is long, and some programs cut off long links. A scenario file is safer.") : null,
    h("div", { class: "row" }, copyButton(app, "Copy as a Markdown link", "copy-markdown", () => `[${title.replaceAll("]", "\\]")}](${link})`),
      copyButton(app, "Copy as a Markdown card", "copy-card", () => card(app, link))),
    h("h3", null, "Embed in a page"),
    h("div", { class: "row" }, select("Show", "embed-panel", panels, panel, (v) => {
      panel = v;
      show();
    }), h("label", { class: "check" }, check, "read-only"), copyButton(app, "Copy", "copy-frame", frame)),
    code,
    h("h3", null, "Download"),
    h("div", { class: "row" },
      button("Scenario", "export", () => void give(app, "export", "yaml", "application/yaml")),
      button("kubectl script", "script", () => void give(app, "script", "sh", "text/x-shellscript")),
      button("Go test", "go-test", () => void give(app, "goTest", "go", "text/x-go"))));
  field.focus();
}

/** titleOf returns a one-line description of the displayed state. */
export function titleOf(app: App): string {
  const { title } = app.scenario;
  if (title) return title;
  const { output, step, state } = app;
  const what = output?.object ? `${output.object.target.kind} ${output.object.target.name}` : "";
  const result = output?.steps[state.at - 1];
  if (!step || !result) return what || "An empty scenario";
  const outcome = result.conflicts > 0 ? `${result.conflicts === 1 ? "a conflict" : `${result.conflicts} conflicts`}` : result.ok ? "accepted" : `refused (${result.code || "no request"})`;
  return [what, `step ${state.at} of ${app.scenario.steps.length}: ${step.actor}, ${outcome}`].filter(Boolean).join(" – ");
}

function embedded(link: string, panel: string, readOnly: boolean): string {
  const url = new URL(link);
  url.search = `?embed${panel === "all" ? "" : `=${panel}`}${readOnly ? "&readonly" : ""}`;
  return url.href.replaceAll("&", "&amp;");
}

/** card returns Markdown with the link, the title and the results of the steps. */
function card(app: App, link: string): string {
  const { output, state, scenario } = app;
  const about = /^[^.]*\.?/.exec(scenario.about.trim())?.[0].replaceAll("\n", " ") ?? "";
  const steps = scenario.steps.slice(0, state.at).map((s, i) => {
    const r = output?.steps[i];
    return `${i + 1}. \`${s.actor}\` ${s.do}: ${r ? `${r.ok ? "✓" : "✗"} ${r.code || ""}` : ""}${r?.conflicts ? `, ${r.conflicts} conflict${r.conflicts > 1 ? "s" : ""}` : ""}`;
  });
  return [`> **[${titleOf(app)}](${link})**`, about && `> ${about}`, ...steps.map((s) => `> ${s}`)].filter(Boolean).join("\n") + "\n";
}

export const fileName = (app: App): string => (app.scenario.title || "scenario").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "scenario";

async function give(app: App, call: "export" | "script" | "goTest", end: string, type: string): Promise<void> {
  const name = call === "goTest" ? `${fileName(app).replaceAll("-", "_")}_test` : fileName(app);
  try {
    save(`${name}.${end}`, (await app.engine.ask(call, { scenario: app.scenario })).text, type);
  } catch (error) {
    app.tell((error as Error).message);
  }
}
