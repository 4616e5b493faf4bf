import ts from "typescript";

/** One file of ours: its path from the root of the repository, and its text. */
export interface SourceText {
  path: string;
  text: string;
}

/** A violation of a house rule. */
export interface Finding {
  path: string;
  line: number;
  what: string;
}

/** The syntax tree of a TypeScript file, with parents set. */
export function parseSyntax({ path, text }: SourceText): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Calls `visit` for every node of a tree, parents first. */
export function walkSyntax(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  node.forEachChild((child) => walkSyntax(child, visit));
}

/** The line a node begins on, from 1. */
export function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1;
}

/** Each match of `pattern`, which must be global, as a finding that quotes it. */
export function findText({ path, text }: SourceText, pattern: RegExp): Finding[] {
  return [...text.matchAll(pattern)].map((match) => ({
    path,
    line: text.slice(0, match.index).split("\n").length,
    what: match[0].trim(),
  }));
}
