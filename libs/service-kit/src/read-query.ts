import { parse as parseQuery } from "node:querystring";

/** The query of a path: parsed identically with a socket and without. */
export function readQuery(path: string): Record<string, string | string[] | undefined> {
  const question = path.indexOf("?");
  return question < 0 ? {} : parseQuery(path.slice(question + 1), "&", "=", { maxKeys: 0 });
}
