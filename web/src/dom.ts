// A function that creates elements, so that HTML is never parsed from a string.

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
  if (children.length === 0 && !parent.hasChildNodes()) return;
  keepingFocus(parent, () => parent.replaceChildren(...children.filter((c): c is Node | string => !!c)));
}

function keepingFocus(parent: Element, change: () => void): void {
  const focused = document.activeElement;
  const key = focused && parent.contains(focused) ? focused.getAttribute("data-key") : null;
  change();
  if (key) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

/**
 * refresh is replace for children that only show something: it leaves those that look
 * the same. What a listener depends on must be seen in the element, as an attribute.
 */
export function refresh(parent: Element, ...children: Child[]): void {
  const shown = [...h("div", null, ...children).childNodes];
  const before = [...parent.childNodes];
  if (shown.length !== before.length) return replace(parent, ...shown);
  const other = shown.filter((child, i) => !child.isEqualNode(before[i]!));
  if (other.length > 0) keepingFocus(parent, () => shown.forEach((child, i) => other.includes(child) && before[i]!.replaceWith(child)));
}

/**
 * Keyed shows a list of elements in a parent and, when it changes, makes only those
 * anew that look otherwise: laying out hundreds of lines takes longer than a frame.
 */
export class Keyed {
  readonly parent: HTMLElement;
  elements: HTMLElement[] = [];
  #looks: string[] = [];

  constructor(parent: HTMLElement) {
    this.parent = parent;
  }

  /** show shows an element for each look; two with the same look may stand for each other. */
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
