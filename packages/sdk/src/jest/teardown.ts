// biome-ignore lint/style/noDefaultExport: Jest calls it.
export { teardown as default } from "./setup.ts";
