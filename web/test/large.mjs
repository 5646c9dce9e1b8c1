// Large scenarios, for the test of the page's work and for the measurement of its speed.
import { editor } from "./visit.mjs";

/** seed puts a scenario into the page's storage and loads the page with it. */
export async function seed(page, { steps, at, definitions = [] }) {
  await page.evaluate(
    ({ steps, at, definitions }) => {
      const list = steps.map(({ actor, body }) => ({
        actor,
        do: "force-apply",
        subresource: "",
        target: { apiVersion: "", kind: "", namespace: "", name: "" },
        body,
        note: "",
      }));
      const scenario = {
        title: "",
        about: "",
        kubernetes: "",
        definitions,
        objects: [],
        actors: [...new Set(steps.map((s) => s.actor))].map((name) => ({ name, colour: "" })),
        steps: list,
      };
      for (const store of [sessionStorage, localStorage])
        store.setItem("patchlab.playground.v1", JSON.stringify({ scenario, at, object: 0 }));
      addEventListener("pagehide", (event) => event.stopImmediatePropagation(), { capture: true });
      return navigator.serviceWorker.ready; // the files are there
    },
    { steps, at, definitions },
  );
  await page.reload();
}

/** deployment is a Deployment that four managers apply. */
export function deployment(containers, variables) {
  const out = [
    "apiVersion: apps/v1",
    "kind: Deployment",
    "metadata:",
    "  name: web",
    "spec:",
    "  replicas: 3",
    "  selector:",
    "    matchLabels:",
    "      app: web",
    "  template:",
    "    metadata:",
    "      labels:",
    "        app: web",
    "    spec:",
    "      containers:",
  ];
  for (let c = 0; c < containers; c++) {
    out.push(`      - name: c${c}`, `        image: example.com/c${c}:1`, "        env:");
    for (let e = 0; e < variables; e++) out.push(`        - name: E${e}`, `          value: v${e}`);
    out.push("        ports:");
    for (let p = 0; p < 4; p++) out.push(`        - containerPort: ${8000 + p}`, `          name: p${p}`);
    out.push("        resources:", "          limits:", "            cpu: 500m", "            memory: 1Gi");
  }
  return ["a", "b", "c", "d"].map((actor) => ({ actor, body: out.join("\n") + "\n" }));
}

/** manyLines is a ConfigMap of n lines. */
export const manyLines = (n) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: many\ndata:\n${Array.from({ length: n }, (_, i) => `  k${String(i).padStart(5, "0")}: v`).join("\n")}\n`;

/** bigDefinition is a CustomResourceDefinition of some 300 KB. */
export function bigDefinition() {
  const out = [
    "apiVersion: apiextensions.k8s.io/v1",
    "kind: CustomResourceDefinition",
    "metadata: {name: bigs.big.example.com}",
    "spec:",
    "  group: big.example.com",
    "  names: {kind: Big, listKind: BigList, plural: bigs, singular: big}",
    "  scope: Namespaced",
    "  versions:",
    "  - name: v1",
    "    served: true",
    "    storage: true",
    "    schema:",
    "      openAPIV3Schema:",
    "        type: object",
    "        properties:",
    "          spec:",
    "            type: object",
    "            properties:",
    "              replicas: {type: integer}",
  ];
  for (let i = 0; i < 1200; i++)
    out.push(
      `              field${i}:`,
      `                description: "What field ${i} is for, in a sentence that is as long as they are in definitions that tools have generated from comments in Go; it takes a good part of the space."`,
      "                type: object",
      "                properties:",
      "                  name: {type: string, maxLength: 63}",
      "                  size: {type: integer}",
    );
  return out.join("\n") + "\n";
}

/** toLine puts the caret at the end of a line of the editor, counted from 0. */
export async function toLine(page, line) {
  await editor(page).focus();
  await page.keyboard.press("Control+Home");
  for (let i = 0; i < line; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
}

/** press presses key i of a user who types digits and removes them. */
export const press = (page, i) => page.keyboard.press(i % 2 ? "Backspace" : String(1 + (i % 9)));

/** layoutShift is how far things on the page have moved while it loaded (CLS). */
export const layoutShift = (page) =>
  page.evaluate(
    () =>
      new Promise(
        (done) =>
          new PerformanceObserver((list) =>
            done(list.getEntries().reduce((sum, e) => sum + (e.hadRecentInput ? 0 : e.value), 0)),
          ).observe({ type: "layout-shift", buffered: true }) ?? setTimeout(() => done(0), 300),
      ),
  );
