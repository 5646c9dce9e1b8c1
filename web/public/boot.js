// Runs before the page is rendered, to avoid a layout shift or a flash of the wrong theme: it sets
// the theme, the embedded panel that the address selects, and whether the introduction is hidden
// for a returning visitor.
// It also reports files of the page that could not be loaded, which only the page's script could do
// otherwise.
addEventListener(
  "error",
  ({ target }) => {
    if (!(target instanceof HTMLScriptElement)) return;
    const show = () =>
      (document.getElementById("loading").textContent =
        "The page could not be loaded completely. Reload it to try again.");
    if (document.readyState === "loading") addEventListener("DOMContentLoaded", show);
    else show();
  },
  true,
);
(() => {
  const root = document.documentElement;
  const query = new URLSearchParams(location.search);
  const stored = (store, key) => {
    try {
      return store().getItem(key);
    } catch {
      return null; // storage may be forbidden, as in frames of other sites
    }
  };
  const theme = query.get("theme") ?? stored(() => localStorage, "patchlab.playground.theme");
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  if (query.has("embed")) {
    root.dataset.embed = query.get("embed") || "all";
    if (query.has("readonly")) root.dataset.readonly = "";
  }
  const known =
    stored(() => localStorage, "patchlab.playground.v1") ?? stored(() => sessionStorage, "patchlab.playground.v1");
  if (location.hash.startsWith("#v1=") || query.has("embed") || known) root.dataset.begun = "";
})();
