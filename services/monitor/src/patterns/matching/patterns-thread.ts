// What threads compute over the texts of traces, and over users' regexes. What this imports, every thread loads.
export { findBuiltin } from "../builtin/builtins.ts";
export { findRefusal } from "./compile-regex.ts";
export { findExcerpt } from "./find-excerpt.ts";
export { lookThrough } from "./look-through.ts";
