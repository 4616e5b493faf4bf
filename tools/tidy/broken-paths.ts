import type { SourceText } from "./source-text.ts";

/** A path in code style, from the root of the repository. Patterns and placeholders are no paths. */
const mentioned = /`((?:apps|bench|deploy|docs|fixtures|libs|services|tests|tools)\/[\w.@/-]+)`/g;

/** A link to a file, relative to the page. */
const linked = /\]\((?!https?:|mailto:|#)([^)\s#]+)(?:#[^)]*)?\)/g;

/**
 * Paths that a page mentions or links to and that do not exist. `exists` receives a path from the root of the
 * repository.
 */
export function findBrokenPaths({ path: page, text }: SourceText, exists: (path: string) => boolean): string[] {
  const folder = page.includes("/") ? page.slice(0, page.lastIndexOf("/") + 1) : "";
  const named = [...text.matchAll(mentioned)].map(([, path = ""]) => path);
  const targets = [...text.matchAll(linked)].map(([, path = ""]) =>
    new URL(path, `file:///${folder}`).pathname.slice(1),
  );
  return [...new Set([...named, ...targets])].filter((path) => !exists(path)).map((path) => `${page} mentions ${path}`);
}
