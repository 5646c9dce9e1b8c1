// Dialogs, and messages at the bottom of the page.
import type { Action, App } from "./app";
import { button, h } from "./dom";

let numbers = 0;

/** open shows a dialog. Closing it, for example with Escape, removes it and restores the focus. */
export function open(title: string, ...children: (Node | null)[]): HTMLDialogElement {
  const id = `dialog-title-${++numbers}`;
  const messages = h("div", { class: "dialog-notices", role: "status" });
  // The browser gives the focus back when a dialog is closed, before it reports that it was.
  const dialog = h(
    "dialog",
    {
      "aria-labelledby": id,
      close: () => dialog.remove(),
      click: (e: MouseEvent) => e.target === dialog && dialog.close(),
    },
    h(
      "div",
      { class: "dialog-body" },
      h(
        "div",
        { class: "dialog-head" },
        h("h2", { id }, title),
        button("✕", "close", () => dialog.close(), { "aria-label": "Close", class: "icon" }),
      ),
      ...children,
      messages,
    ),
  );
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/**
 * notice shows a message in the open dialog, or in the page if none is open. It replaces the one before,
 * unless that is lasting: such a message stays until it is closed or its action is taken. It returns a
 * function that removes the message.
 */
export function notice(message: string, action?: Action, lasting = false): () => void {
  const host =
    [...document.querySelectorAll("dialog[open] .dialog-notices")].at(-1) ?? document.getElementById("notices")!;
  const box = h("div", { class: `notice${lasting ? " lasting" : ""}` }, h("span", null, message));
  const gone = () => {
    if (box.contains(document.activeElement)) document.getElementById("page")?.focus();
    box.remove();
  };
  if (action)
    box.append(
      button(action.text, "notice-action", () => {
        gone();
        action.run();
      }),
    );
  box.append(button("✕", "notice-close", gone, { "aria-label": "Close this message", class: "icon" }));
  host.querySelector(".notice:not(.lasting)")?.remove();
  host.append(box);
  if (!lasting)
    setTimeout(
      () => (box.matches(":hover, :focus-within") ? setTimeout(gone, 8000) : gone()),
      action ? 20_000 : 10_000,
    );
  return gone;
}

/** copyButton returns a button that copies a text to the clipboard and confirms it. */
export function copyButton(
  app: App,
  label: string,
  key: string,
  text: () => string | Promise<string>,
  props = {},
): HTMLButtonElement {
  return button(
    label,
    key,
    () =>
      void (async () => {
        try {
          await navigator.clipboard.writeText(await text());
          app.tell("Copied.");
        } catch {
          app.tell("The browser does not allow copying. Select the text and copy it yourself.");
        }
      })(),
    props,
  );
}
