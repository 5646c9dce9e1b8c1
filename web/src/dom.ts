// A function that creates elements, so that HTML is never parsed from a string.

type Child = Node | string | null | undefined | false;
type Props = Record<string, unknown>;

/** Characters that are invisible or change the direction of the text. */
export const hidden =
  /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffc\u{e0000}-\u{e007f}]/gu;

/** hex returns the code of a character. */
export const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0");

/** escaped replaces the hidden characters of a text by escapes. */
const escaped = (text: string): string => text.replace(hidden, (c) => `\\u${hex(c.codePointAt(0)!)}`);

/** h creates an element. Properties with functions become event listeners, and true becomes an attribute without a value. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props | null,
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (name === "value") (element as HTMLInputElement).value = String(value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...shown(children));
  return element;
}

/** shown returns the children of an element, with the hidden characters of texts escaped. */
const shown = (children: Child[]): (Node | string)[] =>
  children.filter((c): c is Node | string => !!c).map((c) => (typeof c === "string" ? escaped(c) : c));

/**
 * replace replaces the children of an element. If one of them had the focus, the new one with
 * the same data-key gets it, or a button beside it if it is disabled.
 */
export function replace(parent: Element, ...children: Child[]): void {
  if (children.length === 0 && !parent.hasChildNodes()) return;
  keepingFocus(parent, () => parent.replaceChildren(...shown(children)));
}

function keepingFocus(parent: Element, change: () => void): void {
  const focused = document.activeElement;
  const key = focused && parent.contains(focused) ? focused.getAttribute("data-key") : null;
  const inner = focused?.shadowRoot?.activeElement; // of an editor
  change();
  // An editor that was removed and added again, such as that of the comparison, has lost the focus.
  if (inner instanceof HTMLElement && parent.contains(focused) && document.activeElement !== focused)
    inner.focus({ preventScroll: true });
  if (!key) return;
  const found = parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  (found?.matches(":disabled") ? found.parentElement!.querySelector<HTMLElement>("button:enabled") : found)?.focus({
    preventScroll: true,
  });
}

/**
 * refresh is replace, except that it keeps children that are equal to the new ones. Everything
 * that their listeners depend on must therefore be part of the element, for example as an
 * attribute.
 */
export function refresh(parent: Element, ...children: Child[]): void {
  const now = [...h("div", null, ...children).childNodes];
  const before = [...parent.childNodes];
  if (now.length !== before.length) return replace(parent, ...now);
  const other = now.filter((child, i) => !child.isEqualNode(before[i]!));
  if (other.length > 0)
    keepingFocus(parent, () => now.forEach((child, i) => other.includes(child) && before[i]!.replaceWith(child)));
}

/**
 * A Keyed renders a list of elements in a parent. When the list changes, it creates only the
 * elements that differ, because the layout of hundreds of lines takes longer than a frame.
 */
export class Keyed {
  readonly parent: HTMLElement;
  elements: HTMLElement[] = [];
  #looks: string[] = [];

  constructor(parent: HTMLElement) {
    this.parent = parent;
  }

  /** show renders an element for each look. Elements with the same look are interchangeable. */
  show(looks: string[], make: (i: number) => HTMLElement): void {
    const free = new Map<string, HTMLElement[]>();
    this.elements.forEach((element, i) => {
      const same = free.get(this.#looks[i]!);
      if (same) same.push(element);
      else free.set(this.#looks[i]!, [element]);
    });
    const elements = looks.map((look, i) => free.get(look)?.shift() ?? make(i));
    for (const left of free.values()) for (const element of left) element.remove();
    let at = this.parent.firstElementChild;
    for (const element of elements) {
      if (element === at) at = at.nextElementSibling;
      else this.parent.insertBefore(element, at);
    }
    this.elements = elements;
    this.#looks = looks;
  }
}

/** select creates a labelled select element. */
export function select(
  label: string,
  key: string,
  options: [value: string, text: string][],
  value: string,
  chosen: (value: string) => void,
): HTMLLabelElement {
  const list = h(
    "select",
    { "data-key": key, change: () => chosen(list.value) },
    ...options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)),
  );
  return h("label", null, h("span", { class: "label" }, label), list);
}

/** button creates a button. */
export function button(text: string, key: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", "data-key": key, click, ...props }, text);
}

/** fieldPath renders a field path so that lines break before its steps, not within a name. */
export const fieldPath = (path: string): Node[] =>
  path.split(/(?=[.[])/).flatMap((step) => [h("wbr", null), document.createTextNode(escaped(step))]);

/** pathButton creates a button that leads to the field at a path. */
export function pathButton(path: string, key: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", "data-key": key, click, class: "path", ...props }, ...fieldPath(path));
}

/** save downloads a text as a file. */
export function save(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
