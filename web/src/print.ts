// For printing, the whole object with its owners is rendered, not only the visible lines.
import type { App } from "./app";
import { chip } from "./chip";
import { h } from "./dom";

export function printObject(app: App): void {
  const sheet = h("section", { id: "print", "aria-hidden": "true" });
  window.addEventListener("beforeprint", () => {
    const { output, state, scenario } = app;
    const managers = output?.object?.managers ?? [];
    const names = [...new Set(managers.map((m) => m.name))];
    sheet.replaceChildren(
      h(
        "h2",
        null,
        output?.object ? `${output.object.target.kind} ${output.object.target.name}` : "No object",
        scenario.title ? ` – ${scenario.title}` : "",
        `, after step ${state.at} of ${scenario.steps.length}`,
      ),
      h("p", null, ...names.flatMap((name) => [chip(app, name), " "])),
      h(
        "div",
        { class: "sheet" },
        ...(output?.rows ?? [])
          .filter((r) => r.mark !== "removed")
          .flatMap((r) => [
            h(
              "span",
              { class: "owners" },
              ...[...new Set(r.owners.map((n) => managers[n]?.name ?? "?"))].map((name) => chip(app, name, true)),
            ),
            h("code", null, r.text),
          ]),
      ),
    );
    document.body.append(sheet);
  });
  window.addEventListener("afterprint", () => sheet.remove());
}
