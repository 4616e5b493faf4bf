import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The API of a running gateway for `vite dev`; the built pages are served by the gateway itself. */
const gateway = process.env.TOUCHSTONE_URL ?? "http://127.0.0.1:4700";

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
  build: {
    target: "es2022",
    // The pages' content security policy allows neither data: scripts nor inline ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    sourcemap: false,
    reportCompressedSize: false,
  },
  server: {
    host: "127.0.0.1",
    proxy: { "/api": { target: gateway, changeOrigin: true, headers: { origin: gateway } } },
  },
});
