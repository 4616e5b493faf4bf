import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

/** The API of a running gateway for `vite dev`; the built pages are served by the gateway itself. */
const gateway = process.env.TOUCHSTONE_URL ?? "http://127.0.0.1:4700";

/** A separate script that calls the API before the script of the pages is there, and what it is made of. */
const earlyEntry = "src/begin-reads.ts";
const early = /src.(begin-reads|api.(ahead|connection|problem))\.ts$/;

/** Puts the early script into index.html, before the others. */
function earlyScript(): Plugin {
  return {
    name: "early-script",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle = {} }) {
        const built = Object.values(bundle).find((file) => file.type === "chunk" && file.name === "early");
        const src = `/${built?.fileName ?? earlyEntry}`;
        return [{ tag: "script", attrs: { type: "module", async: true, crossorigin: true, src } }];
      },
    },
  };
}

/**
 * Tells Chromium to compile the scripts of a page as a whole, beside the page, in place of each function when it is called for
 * the first time: https://v8.dev/blog/explicit-compile-hints
 */
function compileHints(): Plugin {
  return {
    name: "compile-hints",
    generateBundle: {
      // The first line, also after what Vite puts before the code.
      order: "post",
      handler(_, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type !== "chunk" || !/^(index|common)$|-page$/.test(file.name)) continue;
          file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
        }
      },
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), earlyScript(), compileHints()],
  build: {
    target: "es2022",
    // The pages' content security policy allows neither data: scripts nor inline ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: "index.html", early: earlyEntry },
      output: {
        // Each file costs the browser and the gateway as much as some ten kilobytes: what many pages need is in two.
        codeSplitting: {
          groups: [
            { name: "early", test: early, priority: 1 },
            { name: "index", tags: ["$initial"] },
            { name: "common", test: /src.(ui|blocks|shell)|@tanstack/, minShareCount: 5 },
          ],
        },
      },
    },
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: gateway, changeOrigin: true, headers: { origin: gateway } } },
  },
});
