import ts from "typescript";
import { parseSyntax, type SourceText, walkSyntax } from "../tidy/source-text.ts";

/** One row of the specification, in our words. A test that covers it has its id as a tag; an id never changes. */
export interface SpecificationRow {
  id: string;
  section: string;
  text: string;
}

export interface Coverage {
  uncovered: SpecificationRow[];
  /** Ids that tests name and the specification does not have, as `file: id`. */
  unknown: string[];
}

/**
 * Compares the rows with the ids in arrays of tests: their `tags`, and those of the rows of a table. Only code counts: a test that is
 * commented out covers nothing.
 */
export function measureCoverage(rows: readonly SpecificationRow[], tests: readonly SourceText[]): Coverage {
  const ids = new Set(rows.map(({ id }) => id));
  const named = new Set<string>();
  const unknown: string[] = [];
  for (const test of tests) {
    walkSyntax(parseSyntax(test), (node) => {
      if (!ts.isStringLiteral(node) || !ts.isArrayLiteralExpression(node.parent)) return;
      if (!/^spec:\S+$/.test(node.text)) return;
      if (ids.has(node.text)) named.add(node.text);
      else unknown.push(`${test.path}: ${node.text}`);
    });
  }
  return { uncovered: rows.filter(({ id }) => !named.has(id)), unknown };
}

/** The changes to the list of rows without a test. */
export function compareWithList(
  uncovered: readonly SpecificationRow[],
  list: string,
): { lost: string[]; won: string[] } {
  const known = new Set(list.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  const now = new Set(uncovered.map(({ id }) => id));
  return { lost: [...now].filter((id) => !known.has(id)), won: [...known].filter((id) => !now.has(id)) };
}

/** The list as it is committed. */
export function renderList(uncovered: readonly SpecificationRow[]): string {
  const lines = [
    "# Rows of the specification that no test names. It may only shrink.",
    ...uncovered.map(({ id }) => id),
  ];
  return `${lines.join("\n")}\n`;
}
