import { analyse } from "scslre";
import ts from "typescript";
import { type Finding, lineOf, parseSyntax, type SourceText, walkSyntax } from "./source-text.ts";

/** A regex that is allowed as an exception. */
interface Exception {
  path: string;
  /** Its beginning. */
  regex: string;
  because: string;
}

/** A short list, each with the bound of its time. An unused entry is a finding as well. */
const exceptions: readonly Exception[] = [
  {
    path: "services/gateway/src/http/route-table.ts",
    regex: "new RegExp(`^",
    because: "It is made of the paths of our own routes, whose parameters have a / between them.",
  },
];

/**
 * Regexes whose time may grow faster than their input, for a text that its sender chooses: those in which two repeats
 * may match the same characters, and those whose repeat starts again from each position of a run. A constructed regex
 * is assembled from the constants of its file; one with other parts is a finding itself. The analysis covers texts of
 * one repeated character; longer pieces are for tests, such as hostile-texts.test.ts of monitor.
 */
export function findSlowRegexes(source: SourceText): Finding[] {
  const tree = parseSyntax(source);
  const allowed = exceptions.filter(({ path }) => path === source.path);
  const seen = new Set<string>();
  const found: Finding[] = [];
  walkSyntax(tree, (node) => {
    const regex = readRegex(node, tree);
    if (regex === null) return;
    const written = node.getText();
    const because = regex === "made" ? "is made at run time" : describeSlowness(regex);
    if (because === null) return;
    const exception = allowed.find((one) => written.startsWith(one.regex));
    if (exception !== undefined) seen.add(exception.regex);
    else found.push({ path: source.path, line: lineOf(tree, node.getStart()), what: `${written} ${because}` });
  });
  for (const { regex } of allowed) {
    if (!seen.has(regex)) found.push({ path: source.path, line: 1, what: `${regex} ... needs no exception any more` });
  }
  return found;
}

interface Regex {
  source: string;
  flags: string;
}

/** Null: the node is no regex. `made`: assembled from unknown parts. */
function readRegex(node: ts.Node, tree: ts.SourceFile): Regex | "made" | null {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  const isMade = (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
  if (!isMade) return null;
  const [source, flags] = (node.arguments ?? []).map((argument) => evaluate(argument, tree));
  if (typeof source !== "string" || flags === null) return "made";
  return { source, flags: flags ?? "" };
}

function describeSlowness({ source, flags }: Regex): string | null {
  const [report] = analyse({ source, flags }).reports;
  if (report === undefined) return null;
  return `takes ${report.exponential ? "exponential" : "more than linear"} time where "${report.character.pick}" repeats`;
}

/** The text of an expression; null = it depends on more than the constants of its file. */
function evaluate(node: ts.Expression, tree: ts.SourceFile): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return evaluateTemplate(node, tree, ({ text }) => text);
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "String.raw") {
    const { template } = node;
    const raw = ({ rawText = "" }: ts.TemplateLiteralLikeNode): string => rawText;
    return ts.isTemplateExpression(template) ? evaluateTemplate(template, tree, raw) : raw(template);
  }
  if (ts.isIdentifier(node)) {
    const constant = findConstant(node.text, tree);
    return constant === undefined ? null : evaluate(constant, tree);
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [evaluate(node.left, tree), evaluate(node.right, tree)];
    return left === null || right === null ? null : left + right;
  }
  return ts.isCallExpression(node) ? evaluateJoin(node, tree) : null;
}

function evaluateTemplate(
  node: ts.TemplateExpression,
  tree: ts.SourceFile,
  read: (part: ts.TemplateLiteralLikeNode) => string,
): string | null {
  let text = read(node.head);
  for (const { expression, literal } of node.templateSpans) {
    const value = evaluate(expression, tree);
    if (value === null) return null;
    text += value + read(literal);
  }
  return text;
}

/** `["a", "b"].join("|")` */
function evaluateJoin({ expression, arguments: [between] }: ts.CallExpression, tree: ts.SourceFile): string | null {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "join" || between === undefined)
    return null;
  if (!ts.isArrayLiteralExpression(expression.expression) || !ts.isStringLiteral(between)) return null;
  const parts = expression.expression.elements.map((element) => evaluate(element, tree));
  return parts.includes(null) ? null : parts.join(between.text);
}

function findConstant(name: string, tree: ts.SourceFile): ts.Expression | undefined {
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement) || !(statement.declarationList.flags & ts.NodeFlags.Const)) continue;
    const declaration = statement.declarationList.declarations.find((each) => each.name.getText() === name);
    if (declaration !== undefined) return declaration.initializer;
  }
  return undefined;
}
