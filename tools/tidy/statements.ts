import ts from "typescript";
import { type Finding, lineOf, parseSyntax, type SourceText, walkSyntax } from "./source-text.ts";

/** The beginning of a statement. */
const statement =
  /^\s*(select\s(?!\w+ \w+ \w+[^(]*$)|insert into\s|update \S+ (as \w+ )?set\s|delete from\s|lock table\s|with (recursive )?\w+ (\([^)]*\) )?as (materialized )?\(|(create|alter|drop) (table|index|schema|role|database|function)\s)/i;
/** A part of one: a table of a schema, or a condition or limit with a parameter. */
const part =
  /\b(from|join|into|update|using) (only )?(auth|evals|ingest|judge|monitor)\.\w|([=<>]|\b(limit|offset|any)) ?\(?\$\d/i;
const spans = /\b(from|join|into|update|using) (only )?ingest\.span(s|_keys)\b/i;

/** A file, or a folder of a service or library, whose name says that it holds statements. */
const isRoomOfStatements = /\/src\/(.*[/-])?(store|reader|migrations)(\.ts$|\/)/;

/** SQL in a file that is neither a store, a reader nor migrations, nor in a folder that is one. */
export function findStraySql(source: SourceText): Finding[] {
  if (isRoomOfStatements.test(source.path)) return [];
  return findTexts(source, (text) => statement.test(text) || part.test(text));
}

/** Files of services outside the trace store whose SQL reads or writes spans. */
export function findSpanSqlElsewhere(sources: readonly SourceText[]): string[] {
  return sources
    .filter(({ path }) => /^services\/[^/]+\/src\//.test(path) && !path.startsWith("services/ingest/src/trace-store/"))
    .filter((source) => findTexts(source, (text) => spans.test(text)).length > 0)
    .map(({ path }) => path);
}

/** The name of each statement of services and libraries, after its service or library. */
export function findStatementNames(sources: readonly SourceText[]): string[] {
  const named = /\bname: (["`])([^"`]+)\1,\s*(?:\/\/[^\n]*\s*)*text\b/g;
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(named)].map(([, , name]) => `${path.split("/src/")[0]} ${name}`),
  );
}

/** The names that occur more than once. */
export function findRepeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** The strings and templates of a file that match; blanks count as one, and what a template inserts as `?`. */
function findTexts(source: SourceText, matches: (text: string) => boolean): Finding[] {
  const tree = parseSyntax(source);
  const found: Finding[] = [];
  walkSyntax(tree, (node) => {
    const text = textOf(node)?.replaceAll(/\s+/g, " ");
    if (text === undefined || !matches(text)) return;
    found.push({ path: source.path, line: lineOf(tree, node.getStart()), what: text.trim().slice(0, 60) });
  });
  return found;
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `?${literal.text}`).join("");
}
