// The colours of managers. colours.css has their values in light and dark.
export const colours = ["blue", "orange", "green", "purple", "red", "teal", "brown", "pink"];

/** chipColours returns the styles of letters in an editor, because the page's styles do not apply within its shadow root. */
export const chipColours = (scope: string): Record<string, Record<string, string>> =>
  Object.fromEntries(
    colours.map((c) => [`${scope}[data-colour=${c}]`, { "--chip": `var(--${c})`, "--chip-text": `var(--on-${c})` }]),
  );
