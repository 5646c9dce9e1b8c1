// Elements by one function, so that nothing is ever made of a string of HTML.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** h makes an element. Functions become listeners, booleans attributes that are there or not. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (name === "value") (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined && c !== false));
  return element;
}

/**
 * replace puts children in the place of an element's, and the focus back to the
 * one with the same data-key.
 */
export function replace(parent: Element, ...children: Child[]): void {
  const focused = document.activeElement;
  const key = focused && parent.contains(focused) ? focused.getAttribute("data-key") : null;
  parent.replaceChildren(...children.filter((c): c is Node | string => !!c));
  if (key) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/** select makes a choice of texts. */
export function select(label: string, key: string, options: [value: string, text: string][], value: string, chosen: (value: string) => void): HTMLLabelElement {
  const list = h("select", { "data-key": key, change: () => chosen(list.value) },
    ...options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)));
  return h("label", null, h("span", { class: "label" }, label), list);
}

/** button makes a button. */
export function button(text: string, key: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", "data-key": key, click, ...props }, text);
}

/** save gives the user a file. */
export function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
