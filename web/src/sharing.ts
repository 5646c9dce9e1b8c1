// The share dialog: a link, the HTML of an embedded frame, and downloads.
import type { App } from "./app";
import { listed } from "./cards";
import { copyButton, open } from "./dialog";
import { button, h, replace, save, select } from "./dom";

const panels: [string, string][] = [["all", "everything"], ["object", "the object"], ["request", "the request"], ["result", "the result"]];

export async function openShare(app: App): Promise<void> {
  const secrets = await secretsIn(app);
  const body = h("div", { class: "stacked" });
  const dialog = open("Share", body);
  const show = async () => {
    const link = await app.link();
    if (!dialog.isConnected) return;
    history.replaceState(null, "", link);
    const field = h("input", { value: link, readonly: true, "aria-label": "Link to this state", focus: () => field.select() });
    replace(body, secrets.length > 0 ? warning(secrets) : null, ...contents(app, link, field));
    field.focus();
  };
  if (secrets.length === 0) return show();
  replace(body, warning(secrets), h("div", { class: "row" }, button("Cancel", "share-cancel", () => dialog.close(), { class: "primary" }), button("Share with the values", "share-secrets", () => void show())));
  body.querySelector("button")!.focus();
}

/** The number of Secrets that the warning names. */
const mostNamed = 3;

/** secretsIn returns the names of the Secrets that the scenario contains. */
async function secretsIn(app: App): Promise<string[]> {
  const { scenario, state: { at, object } } = app;
  const output = app.busy ? await app.engine.ask("run", { scenario, at, against: at, changes: 1, object }).catch(() => null) : app.output;
  const sent = output?.steps.filter((_, i) => scenario.steps[i]?.do !== "delete") ?? [];
  const targets = [...(output?.objects ?? []), ...sent].map((o) => o.target);
  return [...new Set(targets.filter((t) => t.kind === "Secret" && t.apiVersion === "v1").map((t) => t.name))];
}

function warning(secrets: string[]): HTMLElement {
  const left = secrets.length - mostNamed;
  const names = [...secrets.slice(0, mostNamed), ...(left > 0 ? [`${left} more`] : [])];
  return h("p", { class: "warning" }, `The scenario contains the values of ${secrets.length === 1 ? "the Secret" : "the Secrets"} ${listed(names)}. Anyone who has the link, or a file that you download here, can read them; base64 is not encryption. Replace the values before you share real ones.`);
}

/** contents returns the parts of the dialog for a link, which is shown in a field. */
function contents(app: App, link: string, field: HTMLInputElement): (HTMLElement | null)[] {
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
  return [
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
      button("Scenario", "export", () => void download(app, "export", "yaml", "application/yaml")),
      button("kubectl script", "script", () => void download(app, "script", "sh", "text/x-shellscript")),
      button("Go test", "go-test", () => void download(app, "goTest", "go", "text/x-go"))),
  ];
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

const fileName = (app: App): string => (app.scenario.title || "scenario").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "scenario";

/** download saves the scenario as a file of one of three types. */
export async function download(app: App, call: "export" | "script" | "goTest", end: string, type: string): Promise<void> {
  const name = call === "goTest" ? `${fileName(app).replaceAll("-", "_")}_test` : fileName(app);
  try {
    save(`${name}.${end}`, (await app.engine.ask(call, { scenario: app.scenario })).text, type);
  } catch (error) {
    app.tell((error as Error).message);
  }
}
