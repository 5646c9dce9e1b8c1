// The share dialog: a link, the HTML of an embedded frame, and downloads.
import type { App } from "./app";
import { listed } from "./cards";
import { copyButton, open } from "./dialog";
import { button, h, replace, save, select } from "./dom";
import type { Target } from "./messages";
import { copyOf, type State } from "./state";

const panels: [string, string][] = [
  ["all", "everything"],
  ["object", "the object"],
  ["request", "the request"],
  ["result", "the result"],
];

export async function openShare(app: App): Promise<void> {
  const state = copyOf(app.state); // so that the link contains what has been checked
  const body = h(
    "div",
    { class: "stacked" },
    h("p", { class: "quiet" }, "Checking whether the scenario contains Secrets…"),
  );
  const dialog = open("Share", body);
  const secrets = await secretsIn(app, state);
  if (!dialog.isConnected) return;
  const warned = warning(secrets);
  const show = async () => {
    const link = await app.link(state);
    if (!dialog.isConnected) return;
    if (link.length > longestLink)
      return replace(
        body,
        warned,
        h(
          "p",
          { class: "warning" },
          "The scenario is too large for a link: not all browsers open one of more than a million characters. Download a file instead.",
        ),
        downloads(app),
      );
    history.replaceState(null, "", link);
    const field = h("input", {
      value: link,
      readonly: true,
      "aria-label": "Link to this state",
      focus: () => field.select(),
    });
    replace(body, warned, ...contents(app, link, field));
    field.focus();
  };
  if (!warned) return show();
  replace(
    body,
    warned,
    h(
      "div",
      { class: "row" },
      button("Cancel", "share-cancel", () => dialog.close(), { class: "primary" }),
      button(secrets?.names.length ? "Share with the values" : "Share anyway", "share-secrets", () => void show()),
    ),
  );
  body.querySelector("button")!.focus();
}

/** The maximum length of an address that all browsers open. That of Firefox is the shortest. */
const longestLink = 1 << 20;

/** The number of Secrets that the warning names. */
const mostNamed = 3;

/** Secrets are the names of those that the engine found in a scenario, and whether a text that it could not read appears to be one. */
interface Secrets {
  names: string[];
  unread: boolean;
}

/** A manifest of a Secret, or of a list of them, in a text that need not be valid YAML or JSON. */
const secretText = /\bkind["']?\s*:\s*["']?Secret(List)?(?!\w)/;

const isSecret = (t: Target): boolean => t.kind === "Secret" && t.apiVersion === "v1";

/** secretsIn returns the Secrets in the current state of the page, null if its scenario cannot be run. */
async function secretsIn(app: App, { scenario, at, object }: State): Promise<Secrets | null> {
  const output = app.busy
    ? await app.engine.ask("run", { scenario, at, against: at, changes: 1, object }).catch(() => null)
    : app.output;
  if (!output) return null;
  // The text of a deletion is not shown, but a link contains it.
  const sent = scenario.steps.flatMap((step, i) =>
    step.do === "delete" && !step.body ? [] : [{ step, result: output.steps[i]! }],
  );
  const targets = [
    ...output.objects.map((o) => o.target),
    ...sent.flatMap(({ step, result }) => [result.target, step.target]),
  ];
  // A text that cannot be parsed, and a List in a step, have no target.
  const unread = [
    ...output.objects.filter((o) => !o.ok).map((o) => scenario.objects[o.text]!),
    ...sent.filter(({ result }) => result.code === 0 && !isSecret(result.target)).map(({ step }) => step.body),
  ];
  return {
    names: [...new Set(targets.filter(isSecret).map((t) => t.name))],
    unread: unread.some((text) => secretText.test(text)),
  };
}

/** warning returns what the user should know before the scenario is shared, null if it contains no Secrets. */
function warning(secrets: Secrets | null): HTMLElement | null {
  const reach =
    "nyone who has the link, or a file that you download here, can read the values; base64 is not encryption. Replace the values before you share real ones.";
  if (!secrets)
    return h(
      "p",
      { class: "warning" },
      `It could not be checked whether the scenario contains Secrets. If it does, a${reach}`,
    );
  const { names, unread } = secrets;
  if (names.length === 0 && !unread) return null;
  const known = names.map((name) => name || "one without a name");
  const left = names.length - mostNamed;
  const named = [...known.slice(0, mostNamed), ...(left > 0 ? [`${left} more`] : [])];
  return h(
    "p",
    { class: "warning" },
    names.length > 0
      ? `The scenario contains the values of ${names.length > 1 ? `the Secrets ${listed(named)}` : names[0] ? `the Secret ${names[0]}` : "a Secret without a name"}. `
      : "",
    unread ? "A text of the scenario that could not be read appears to be a Secret. " : "",
    `A${reach}`,
  );
}

/** contents returns the parts of the dialog for a link, which is shown in a field. */
function contents(app: App, link: string, field: HTMLInputElement): (HTMLElement | null)[] {
  const title = titleOf(app);
  let panel = "all";
  let readOnly = true;
  const code = h("pre", { tabindex: "0", role: "region", "aria-label": "HTML of the frame" });
  const frame = () =>
    `<iframe src="${embedded(link, panel, readOnly)}" title="${title.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}" width="100%" height="420" loading="lazy"></iframe>`;
  const show = () => replace(code, frame());
  const check = h("input", {
    type: "checkbox",
    checked: true,
    change: () => {
      readOnly = check.checked;
      show();
    },
  });
  show();
  return [
    h("p", null, "The link contains the whole scenario. Browsers do not send the part after # to any server."),
    h(
      "div",
      { class: "row link" },
      field,
      copyButton(app, "Copy", "copy-link", () => link, { class: "primary" }),
    ),
    link.length > 30_000
      ? h(
          "p",
          { class: "warning" },
          "The link is long, and some programs cut off long links. A scenario file is safer.",
        )
      : null,
    h(
      "div",
      { class: "row" },
      copyButton(app, "Copy as a Markdown link", "copy-markdown", () => `[${markdown(title)}](${link})`),
      copyButton(app, "Copy as a Markdown card", "copy-card", () => card(app, link)),
    ),
    h("h3", null, "Embed in a page"),
    h(
      "div",
      { class: "row" },
      select("Show", "embed-panel", panels, panel, (v) => {
        panel = v;
        show();
      }),
      h("label", { class: "check" }, check, "read-only"),
      copyButton(app, "Copy", "copy-frame", frame),
    ),
    code,
    downloads(app),
  ];
}

/** downloads returns the part of the dialog that saves the scenario as a file. */
const downloads = (app: App): HTMLElement =>
  h(
    "div",
    { class: "stacked" },
    h("h3", null, "Download"),
    h(
      "div",
      { class: "row" },
      button("Scenario", "export", () => void download(app, "export", "yaml", "application/yaml")),
      button("kubectl script", "script", () => void download(app, "script", "sh", "text/x-shellscript")),
      button("Go test", "go-test", () => void download(app, "goTest", "go", "text/x-go")),
    ),
  );

/** titleOf returns a one-line description of the displayed state. */
export function titleOf(app: App): string {
  const { title } = app.scenario;
  if (title) return title;
  const { output, step, state } = app;
  const what = output?.object ? `${output.object.target.kind} ${output.object.target.name}` : "";
  const result = output?.steps[state.at - 1];
  if (!step || !result) return what || "An empty scenario";
  const outcome =
    result.conflicts > 0
      ? `${result.conflicts === 1 ? "a conflict" : `${result.conflicts} conflicts`}`
      : result.ok
        ? "accepted"
        : `refused (${result.code || "no request"})`;
  return [what, `step ${state.at} of ${app.scenario.steps.length}: ${step.actor}, ${outcome}`]
    .filter(Boolean)
    .join(" – ");
}

function embedded(link: string, panel: string, readOnly: boolean): string {
  const url = new URL(link);
  url.search = `?embed${panel === "all" ? "" : `=${panel}`}${readOnly ? "&readonly" : ""}`;
  return url.href.replaceAll("&", "&amp;");
}

/** markdown escapes a text for Markdown. A mention or a number of an issue is one on GitHub even if it is escaped, unless something stands between it and its sign. */
const markdown = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replace(/[\\`*_~[\]<>&|$]/g, "\\$&")
    .replace(/[@#]/g, "$&&#8203;");

/** card returns Markdown with the link, the title and the results of the steps. */
function card(app: App, link: string): string {
  const { output, state, scenario } = app;
  const about = /^[^.]*\.?/.exec(scenario.about.trim())?.[0].replaceAll("\n", " ") ?? "";
  const steps = scenario.steps.slice(0, state.at).map((s, i) => {
    const r = output?.steps[i];
    return `${i + 1}. \`${s.actor.replace(/[`\s]+/g, " ")}\` ${markdown(s.do)}: ${r ? `${r.ok ? "✓" : "✗"} ${r.code || ""}` : ""}${r?.conflicts ? `, ${r.conflicts} conflict${r.conflicts > 1 ? "s" : ""}` : ""}`;
  });
  return (
    [`> **[${markdown(titleOf(app))}](${link})**`, about && `> ${markdown(about)}`, ...steps.map((s) => `> ${s}`)]
      .filter(Boolean)
      .join("\n") + "\n"
  );
}

const fileName = (app: App): string =>
  (app.scenario.title || "scenario")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "scenario";

/** download saves the scenario as a file of one of three types. */
export async function download(
  app: App,
  call: "export" | "script" | "goTest",
  end: string,
  type: string,
): Promise<void> {
  const name = call === "goTest" ? `${fileName(app).replaceAll("-", "_")}_test` : fileName(app);
  try {
    save(`${name}.${end}`, (await app.engine.ask(call, { scenario: app.scenario })).text, type);
  } catch (error) {
    app.tell((error as Error).message);
  }
}
