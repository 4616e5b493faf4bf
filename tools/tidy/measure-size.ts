import ts from "typescript";
import { parseSyntax, type SourceText, walkSyntax } from "./source-text.ts";

/** Above these a file or a function should be split. */
const fileLinesMax = 400;
const functionLinesMax = 100;
/** With the functions inside it. */
const wholeFunctionLinesMax = 120;

/** An oversized item, as `path` or `path function`, with its lines. */
export type Oversized = Map<string, number>;

/**
 * Finds files and functions that are too long. A function has two limits: one with the functions inside it, and a lower one
 * without them. In tests only files count.
 */
export function measureSize(sources: readonly SourceText[]): Oversized {
  const oversized: Oversized = new Map();
  for (const source of sources) {
    const lines = source.text.split("\n").length - 1;
    if (lines > fileLinesMax) oversized.set(source.path, lines);
    if (isTest.test(source.path)) continue;
    const tree = parseSyntax(source);
    walkSyntax(tree, (node) => {
      if (!isFunctionWithBody(node)) return;
      const own = linesOf(tree, node) - functionsWithin(node).reduce((sum, inner) => sum + linesOf(tree, inner) - 1, 0);
      const whole = linesOf(tree, node);
      if (own > functionLinesMax || whole > wholeFunctionLinesMax) {
        oversized.set(`${source.path} ${nameOf(node)}`, whole);
      }
    });
  }
  return oversized;
}

/** With what a folder of tests shares: long functions there are groups of tests. */
const isTest = /\.test\.tsx?$|\/test\//;

/** A larger file was committed by mistake, and stays in every clone. */
const fileMaxBytes = 2 * 1024 * 1024;

/** The files that are too large for a repository. */
export function findLargeFiles<File extends { bytes: number }>(files: readonly File[]): File[] {
  return files.filter(({ bytes }) => bytes > fileMaxBytes);
}

/** A source file with fewer lines holds too little to be looked for: it belongs beside what uses it. */
const thinFileLines = 20;

/** The source files of apps, libraries and services that are too short. */
export function findThinFiles(sources: readonly SourceText[]): string[] {
  return sources
    .filter(({ path, text }) => isSourceFile.test(path) && text.split("\n").length <= thinFileLines)
    .map(({ path }) => path);
}

const isSourceFile = /^(apps|libs|services)\/[^/]+\/src\/.*\.tsx?$/;

/** What was found, if there is more of it than a ceiling allows; else nothing. */
export function overCeiling(found: readonly string[], max: number): readonly string[] {
  return found.length > max ? found : [];
}

/**
 * Compares with the list of oversized items. The list may only shrink: no new items, no growth, and items that became
 * short are removed. Returns what to do, one sentence each; empty when there is nothing to do.
 */
export function compareWithList(oversized: Oversized, list: string): string[] {
  const known = readList(list);
  const grown = [...oversized].flatMap(([what, lines]) => {
    const before = known.get(what);
    if (before === undefined)
      return [
        `${what} has ${lines} lines: split it (files ${fileLinesMax}, functions ${functionLinesMax}, with those inside ${wholeFunctionLinesMax}).`,
      ];
    return lines > before ? [`${what} grew from ${before} to ${lines} lines: split it instead.`] : [];
  });
  const gone = [...known.keys()].filter((what) => !oversized.has(what));
  return [...grown, ...gone.map((what) => `${what} is short enough now: take it off the list.`)];
}

/** The list as it is committed. */
export function renderList(oversized: Oversized): string {
  const lines = [...oversized].map(([what, lines]) => `${lines} ${what}`);
  const head =
    "# Too long before the limit came: lines, path, function. It may only shrink (tools/tidy/list-oversized.ts).";
  return `${[head, ...lines].join("\n")}\n`;
}

function readList(list: string): Oversized {
  const lines = list.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const [count = "", ...what] = line.split(" ");
      return [what.join(" "), Number(count)];
    }),
  );
}

type FunctionWithBody = ts.FunctionLikeDeclaration & { body: ts.Node };

function isFunctionWithBody(node: ts.Node): node is FunctionWithBody {
  return ts.isFunctionLike(node) && "body" in node && node.body !== undefined;
}

/** The functions directly inside a node, not those inside these. */
function functionsWithin(node: ts.Node): FunctionWithBody[] {
  const found: FunctionWithBody[] = [];
  node.forEachChild((child) => {
    if (isFunctionWithBody(child)) found.push(child);
    else found.push(...functionsWithin(child));
  });
  return found;
}

function linesOf(tree: ts.SourceFile, node: ts.Node): number {
  const line = (position: number): number => tree.getLineAndCharacterOfPosition(position).line;
  return line(node.getEnd()) - line(node.getStart()) + 1;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  const isNamed = ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent);
  return isNamed ? parent.name.getText() : "(anonymous)";
}
