import { readFileSync } from "node:fs";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** The version that the changelog begins with. */
const version =
  /^## \[?([^\]\n]+)/m
    .exec(readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8"))?.[1]
    ?.split(" ")[0]
    ?.toLowerCase() ?? "";

/** isPage reports whether a file of the bundle is the script of the page. */
const isPage = (file: { type: string; name?: string }): boolean => file.type === "chunk" && file.name === "index";

/**
 * early lists the page's script and style sheet at the beginning of the page, so that a browser
 * requests them before it has loaded boot.js, which stops the parser.
 */
const early: Plugin = {
  name: "early",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) =>
      Object.values(bundle).flatMap((file): HtmlTagDescriptor[] => {
        const href = `./${file.fileName}`;
        const link = (attrs: Record<string, string | boolean>): HtmlTagDescriptor[] => [
          { tag: "link", attrs: { ...attrs, crossorigin: true, href }, injectTo: "head-prepend" },
        ];
        if (isPage(file)) return link({ rel: "preload", as: "script" });
        return file.fileName.endsWith(".css") ? link({ rel: "preload", as: "style" }) : [];
      }),
  },
};

/**
 * compileAhead asks browsers to compile all functions of a script while they load it, on another
 * thread. Otherwise the main thread compiles each function when it is first called.
 */
const compileAhead = "//# allFunctionsCalledOnLoad";

/** The parts before and after the code of the page's script. */
const [head, tail] = [`${compileAhead}\n((pageScript) => {"use strict";`, `})({ url: document.currentScript.src });`];

/**
 * classic makes the script of the page one that is not a module. When a service worker caches files
 * while it is installed, Chromium compiles such scripts and keeps the code beside them, so that a page
 * that is loaded again need not compile its script. It does not do so for modules.
 */
const classic: Plugin = {
  name: "classic",
  apply: "build",
  augmentChunkHash: (chunk) => (isPage(chunk) ? head + tail : ""),
  generateBundle: {
    order: "post",
    handler(_, bundle) {
      for (const file of Object.values(bundle)) {
        if (file.type !== "chunk" || !isPage(file)) continue;
        if (file.imports.length + file.exports.length > 0)
          this.error("the script of the page imports or exports something, which only a module can");
        file.code = head + file.code.replaceAll("import.meta", "pageScript") + tail;
      }
    },
  },
  transformIndexHtml: { order: "post", handler: (html) => html.replace('<script type="module"', "<script defer") },
};

// The page is a static folder that works under any path: all addresses in it are
// relative. Nothing is put inline, as the Content-Security-Policy forbids it.
export default defineConfig({
  base: "./",
  plugins: [
    { name: "version", transformIndexHtml: (html: string) => html.replace("%VERSION%", version) },
    early,
    classic,
  ],
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
