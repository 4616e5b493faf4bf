import path from "node:path";
import type { SourceText } from "./source-text.ts";

/**
 * One file of a flow, and how the request gets there: by import (null), `HTTP`, `bus`, `back`, or through a named file.
 */
export interface Step {
  file: string;
  way: string | null;
}

/** Whether a file imports another, directly or through others. */
type Reaches = (from: string, to: string) => boolean;

/** `1. way → `file`: clause`. */
const stepLine = /^\d+\. (?:(HTTP|bus|back|`[\w./-]+`) → )?`([\w./-]+)`: /gm;
const importLine = /^(?:import|export|\}) [^;"]*?from "([^"]+)"/gm;

/** The numbered list under each `###` heading of a page. */
export function readFlows(page: string): Step[][] {
  const sections = page.split(/^### /m).slice(1);
  return sections.map((section) =>
    [...section.matchAll(stepLine)].map(([, way, file = ""]) => ({ file, way: way?.replaceAll("`", "") ?? null })),
  );
}

/** Steps that do not match the code, as sentences. ARCHITECTURE.md explains the kinds of steps. */
export function findBrokenSteps(flows: readonly Step[][], sources: readonly SourceText[]): string[] {
  const files = new Set(sources.map((source) => source.path));
  const reaches = followImports(sources);
  return flows.flatMap((steps) =>
    steps.flatMap((step, index) => {
      if (!files.has(step.file)) return `${step.file} does not exist`;
      return index === 0 ? [] : findBrokenHop(step, steps.slice(0, index), reaches);
    }),
  );
}

function findBrokenHop({ file, way }: Step, earlier: readonly Step[], reaches: Reaches): string[] {
  const before = earlier.at(-1)?.file ?? "";
  if (way === null) return reaches(before, file) ? [] : [`${before} does not import ${file}`];
  const service = serviceOf(file);
  if (way === "HTTP" || way === "bus") {
    return serviceOf(before) === service ? [`${file} is in the same service as ${before}`] : [];
  }
  if (way === "back") {
    const own = earlier.filter((step) => serviceOf(step.file) === service);
    return own.some((step) => reaches(step.file, file)) ? [] : [`nothing before ${file} imports it`];
  }
  if (reaches(before, file)) return [`${before} imports ${file}: it needs no ${way}`];
  const connecting = `${service}/src/${way}`;
  return [before, file].filter((end) => !reaches(connecting, end)).map((end) => `${connecting} does not import ${end}`);
}

const serviceOf = (file: string): string => file.split("/", 2).join("/");

/** Follows imports, of types too, within a service and into libs. */
function followImports(sources: readonly SourceText[]): Reaches {
  const texts = new Map(sources.map((source) => [source.path, source.text]));
  const direct = remember((file) => importsOf(file, texts.get(file) ?? ""));
  const all = remember((from) => {
    const found = new Set([from]);
    // The set grows while it is walked: every file that is added is visited, too.
    for (const file of found) for (const each of direct(file)) found.add(each);
    return found;
  });
  return (from, to) => all(from).has(to);
}

function remember<Result>(find: (file: string) => Result): (file: string) => Result {
  const known = new Map<string, Result>();
  return (file) => {
    const result = known.get(file) ?? find(file);
    known.set(file, result);
    return result;
  };
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(importLine)].map(([, specifier = ""]) => {
    const [, lib] = /^@touchstone\/([\w-]+)$/.exec(specifier) ?? [];
    return lib === undefined ? path.posix.join(path.posix.dirname(file), specifier) : `libs/${lib}/src/index.ts`;
  });
}
