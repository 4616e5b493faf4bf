// Computations of threads over the texts of traces, and over users' regexes. Every thread loads the imports of this file.
export { findBuiltin } from "../builtin/builtins.ts";
export { findRefusal } from "./compile-regex.ts";
export { findExcerpt } from "./find-excerpt.ts";
export { lookThrough } from "./look-through.ts";
