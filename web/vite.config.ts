import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

/** The version that the changelog begins with. */
const version = /^## \[?([^\]\n]+)/m.exec(readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8"))?.[1]?.split(" ")[0]?.toLowerCase() ?? "";

// The page is a static folder that works under any path: all addresses in it are
// relative. Nothing is put inline, as the Content-Security-Policy forbids it.
export default defineConfig({
  base: "./",
  plugins: [{ name: "version", transformIndexHtml: (html: string) => html.replace("%VERSION%", version) }],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: "index.html", sw: "src/sw.ts" },
      output: {
        // The service worker's name must stay, or browsers could not find a newer one.
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
      },
    },
  },
  worker: { format: "es" },
});
