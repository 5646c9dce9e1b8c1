// How the listing of the object looks.
import { EditorView } from "@codemirror/view";
import { chipColours, colours } from "./colours";

const rows: Record<string, Record<string, string>> = {};
for (const colour of colours) {
  rows[`.o-${colour}`] = { "--o": `var(--${colour})` };
  rows[`.p-${colour}`] = { "--p": `var(--${colour})` };
}

const tint = (name: string) => `color-mix(in srgb, var(${name}) var(--tint, 9%), transparent)`;

export const listingLook = EditorView.theme({
  ...rows,
  ...chipColours(""),
  ".cm-content": { padding: "4px 0" },
  ".cm-line": { padding: "0 10px 0 6px" },
  ".cm-line.one": { backgroundColor: tint("--o") },
  ".cm-line.two": { background: `repeating-linear-gradient(135deg, ${tint("--o")} 0 9px, ${tint("--p")} 9px 18px)` },
  ".cm-line.none": { color: "var(--muted)" },
  ".cm-line.added": { "--tint": "20%", boxShadow: "inset 3px 0 var(--good)" },
  ".cm-line.added.none, .cm-line.added.below": { backgroundColor: "var(--added)" },
  ".cm-line.owners": { "--tint": "17%", boxShadow: "inset 3px 0 var(--warn)" },
  ".cm-line.removed": { backgroundColor: "var(--removed)", textDecoration: "line-through", boxShadow: "inset 3px 0 var(--bad)" },
  ".cm-line.conflict": { boxShadow: "inset 3px 0 var(--bad)", backgroundColor: "var(--bad-soft)" },
  ".cm-line.current": { outline: "1px solid var(--line)", outlineOffset: "-1px" },
  "&.cm-focused .cm-line.current": { outlineColor: "var(--accent)" },
  ".tok-key": { color: "var(--code-key)" },
  ".none .tok-key": { color: "inherit" },
  ".tok-str": { color: "var(--code-string)" },
  ".tok-num": { color: "var(--code-number)" },
  ".tok-dim": { color: "var(--muted)" },
  ".none .tok-str, .none .tok-num": { color: "inherit" },
  ".removed .tok-key, .removed .tok-str, .removed .tok-num": { color: "var(--text)" },
  ".blame": { marginLeft: "2.5em", color: "var(--muted)", fontStyle: "italic", fontFamily: "var(--sans)", fontSize: "0.71875rem" },
  // Where lines are not wrapped, a long value ends with an ellipsis instead of at the edge; the result has all of it.
  ".cm-content:not(.cm-lineWrapping) .wanted": { display: "inline-block", maxWidth: "22rem", overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap", verticalAlign: "bottom" },
  ".wanted": { marginLeft: "1.5em", color: "var(--bad)", fontFamily: "var(--sans)", fontSize: "0.75rem", fontWeight: "600" },
  ".rows": { contain: "strict", boxSizing: "border-box", position: "sticky", insetInlineStart: "0", zIndex: "200", flex: "none", width: "calc(max(1.625rem, var(--digits) * 1ch + 6px) + var(--owners) + 1.6875rem)", textAlign: "right", whiteSpace: "nowrap", backgroundColor: "var(--field)", color: "var(--muted)" },
  ".row > span": { display: "inline-block", verticalAlign: "top", boxSizing: "border-box" },
  ".row .owners": { width: "var(--owners)", margin: "0 1.6875rem 0 4px", paddingRight: "3px" },
  ".row .none": { fontStyle: "normal", paddingRight: "4px", fontSize: "0.6875rem" },
  ".row .sign": { width: "0.875rem", margin: "0 0.8125rem 0 -1.6875rem", textAlign: "center", fontWeight: "700", color: "var(--text)" },
  ".row .sign.bad": { color: "var(--bad)" },
  ".row .fold": { width: "0.8125rem", marginLeft: "-0.8125rem", textAlign: "left", padding: "0 1px", cursor: "pointer" },
  ".letter": { display: "inline-block", textAlign: "center", minWidth: "1rem", height: "1rem", padding: "0 2px", font: "700 0.65625rem/1rem var(--mono)", color: "var(--chip-text)", background: "var(--chip)", borderRadius: "4px", boxSizing: "border-box" },
  ".row .letter": { verticalAlign: "top", marginTop: "calc(0.775 * var(--code-size, 0.8125rem) - 0.5rem)" },
  ".row .letter + .letter": { marginLeft: "2px" },
  ".letter.more": { "--chip": "var(--line)", "--chip-text": "var(--text)" },
  ".letter[data-shape=round]": { borderRadius: "50%" },
  ".letter[data-shape=cut]": { borderRadius: "0", background: "linear-gradient(135deg, transparent 3px, var(--chip) 3.5px calc(100% - 3.5px), transparent calc(100% - 3px))" },
  ".letter[data-shape=tag]": { borderRadius: "2px 9px 9px 2px" },
  ".letter[data-shape=leaf]": { borderRadius: "9px 1px 9px 1px" },
  ".cm-foldPlaceholder": { background: "var(--hover)", border: "1px solid var(--line)", color: "var(--muted)", padding: "0 6px", margin: "0 4px" },
  ".cm-tooltip": { border: "1px solid var(--line)", borderRadius: "6px", background: "var(--raised)", color: "var(--text)", boxShadow: "0 4px 16px #0003" },
  ".owner-labels": { padding: "5px 9px", font: "0.78125rem/1.5 var(--sans)" },
  ".cm-panels": { background: "var(--raised)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panel.cm-search": { font: "0.78125rem var(--sans)", padding: "6px 8px" },
  ".cm-panel.cm-search label": { fontSize: "0.78125rem" },
  ".cm-panel.cm-search [name=replace], .cm-panel.cm-search [name=replaceAll], .cm-panel.cm-search br": { display: "none" },
  ".none-found": { color: "var(--bad)" },
  ".cm-textfield": { background: "var(--field)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "5px", font: "inherit", padding: "3px 6px" },
  ".cm-button": { background: "var(--card)", backgroundImage: "none", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "5px", font: "inherit", padding: "3px 8px" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 35%, transparent)" },
  ".cm-searchMatch-selected": { backgroundColor: "color-mix(in srgb, var(--warn) 65%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 18%, transparent)" },
});
