import { readFileSync } from "node:fs";
import { defineConfig, type HtmlTagDescriptor, type Plugin } from "vite";

/** The version that the changelog begins with. */
const version = /^## \[?([^\]\n]+)/m.exec(readFileSync(new URL("../CHANGELOG.md", import.meta.url), "utf8"))?.[1]?.split(" ")[0]?.toLowerCase() ?? "";

/**
 * early lists the page's script and style sheet at the beginning of the page, so that a browser
 * requests them before it has loaded boot.js, which stops the parser.
 */
const early: Plugin = {
  name: "early",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle = {} }) => Object.values(bundle).flatMap((file): HtmlTagDescriptor[] => {
      const href = `./${file.fileName}`;
      const link = (attrs: Record<string, string | boolean>): HtmlTagDescriptor[] => [{ tag: "link", attrs: { ...attrs, crossorigin: true, href }, injectTo: "head-prepend" }];
      if (file.type === "chunk" && file.isEntry && file.name === "index") return link({ rel: "modulepreload" });
      return file.fileName.endsWith(".css") ? link({ rel: "preload", as: "style" }) : [];
    }),
  },
};

/**
 * compileAhead asks browsers to compile all functions of a script while they load it, on another
 * thread. Otherwise the main thread compiles each function when it is first called.
 */
const compileAhead = "//# allFunctionsCalledOnLoad";

// The page is a static folder that works under any path: all addresses in it are
// relative. Nothing is put inline, as the Content-Security-Policy forbids it.
export default defineConfig({
  base: "./",
  plugins: [{ name: "version", transformIndexHtml: (html: string) => html.replace("%VERSION%", version) }, early],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: "index.html", sw: "src/sw.ts" },
      output: {
        // The service worker's name must stay, or browsers could not find a newer one.
        entryFileNames: (chunk) => (chunk.name === "sw" ? "sw.js" : "assets/[name]-[hash].js"),
        postBanner: (chunk) => (chunk.name === "index" ? compileAhead : ""),
      },
    },
  },
  worker: { format: "es" },
});
