import ts from "typescript";
import { findSlowRegexes } from "./slow-regexes.ts";
import { type Finding, findText, lineOf, parseSyntax, type SourceText, walkSyntax } from "./source-text.ts";
import { findStraySql } from "./statements.ts";

/** A rule about single files. `name` states the rule and the alternative. */
export interface HouseRule {
  name: string;
  appliesTo(path: string): boolean;
  find(source: SourceText): Finding[];
}

const isCode = (path: string): boolean => /\.tsx?$/.test(path) && !/\.gen\.(d\.)?ts$/.test(path);
const isText = (path: string): boolean =>
  /\.(tsx?|css|html|mjs|cjs|json|jsonc|md|sql|txt|yaml|yml|sh|conf|toml)$|Dockerfile$/.test(path);
const isTest = (path: string): boolean => /\.test\.ts$|\/test\/|^tests\//.test(path);
const isCaptured = (path: string): boolean => /(^|\/)fixtures\//.test(path) || path === "pnpm-lock.yaml";
/** This folder contains the forbidden words. */
const isRule = (path: string): boolean => path.startsWith("tools/tidy");

/** What reviewers would otherwise have to repeat. */
export const houseRules: readonly HouseRule[] = [
  {
    name: "only main.ts reads the environment: take a value from the service's config instead",
    appliesTo: (path) =>
      isCode(path) &&
      !isTest(path) &&
      !/^(apps\/standalone|tools|bench|libs\/testkit)\/|^apps\/dashboard\/vite\.config\.ts$|^(services\/[^/]+\/src|libs\/bus\/src\/(dead-letters|stream-replicas))\/main\.ts$|^packages\/(sdk\/src\/environment|cli\/src\/main)\.ts$/.test(
        path,
      ),
    find: findEnvironmentReads,
  },
  {
    name: "exports have names: `export function x` instead of a default export",
    appliesTo: (path) => isCode(path) && !/(^|\/)(vite|vitest)\.config\.ts$/.test(path),
    find: findDefaultExports,
  },
  {
    name: "a file is named for what it holds, in kebab-case: not utils, helpers, common, manager or misc",
    appliesTo: (path) => isCode(path) || path.endsWith(".sql"),
    find: ({ path }) => {
      const base = path.slice(path.lastIndexOf("/") + 1);
      const name = base.replace(/(\.(test|infra|config|v\d+))*\.[a-z]+$/, "");
      const isKebab = /^[a-z0-9]+(-[a-z0-9]+)*$/.test(name);
      const isVague = /(^|\/)(([a-z-]+-)?(utils?|helpers?|managers?|misc)|common)(\/|\.)/.test(path);
      return isKebab && !isVague ? [] : [{ path, line: 1, what: base }];
    },
  },
  {
    name: "nothing is left over: finish it, or write TODO with the condition that ends it (until ...)",
    appliesTo: (path) => isText(path) && !isRule(path) && !isCaptured(path),
    find: (source) => findText(source, /\b(FIXME|XXX|HACK)\b.*|\bTODO\b(?!.*\buntil\b).*/g),
  },
  {
    name: "every test runs: no .only, and what a machine lacks is a condition (`skipIf`, `context.skip`) instead of .skip",
    appliesTo: (path) => isTest(path) && !isRule(path),
    find: (source) => findText(source, /\b(test|it|describe)(\.\w+)*\.(only|skip|todo)\b/g),
  },
  {
    name: "a title is a sentence: the rows of the specification that a test covers are its `tags`",
    appliesTo: (path) => isTest(path) && !isRule(path) && !path.startsWith("tools/spec-coverage/"),
    find: (source) => findText(source, /\[spec:[^\]\n]*\]/g),
  },
  {
    name: "a browser test takes no key from the set-up: `sample` is for reading, createOwnProject for writing",
    appliesTo: (path) => path.startsWith("tests/browser/specs/"),
    find: (source) => findText(source, /\binject\b/g),
  },
  {
    name: "what happens is logged with the service's logger, not the console",
    appliesTo: (path) =>
      isCode(path) && !/^(tools|bench|apps\/standalone|tests\/(chaos|attack)\/src\/main\.ts$)\/?/.test(path),
    find: (source) => findText(source, /\bconsole\.\w+/g),
  },
  {
    name: "a metric is in `metricFamilies` of the contracts: register it with createCounter, createGauge or createHistogram of service-kit",
    appliesTo: (path) => isCode(path) && !isTest(path) && !isRule(path) && path !== "libs/service-kit/src/metrics.ts",
    find: (source) =>
      findText(
        source,
        /\bnew (\w+\.)?(Counter|Gauge|Histogram|Summary)\b|\b(Counter|Gauge|Histogram|Summary)\b[^;]* from "prom-client"/g,
      ),
  },
  {
    name: "the specification is cited by name and section (`interface: Limits`), never as a file",
    appliesTo: (path) => isText(path) && !isRule(path) && !isCaptured(path) && !path.startsWith("docs/specification/"),
    find: (source) =>
      findText(
        source,
        /(?<![\w/-])(interface|decisions|completions|otlp|architecture|style|embedded|reliability)\.md\b/g,
      ),
  },
  {
    name: "no path of somebody's machine: write it from the root of the repository",
    appliesTo: (path) => isText(path) && !isRule(path) && !isCaptured(path),
    find: (source) => findText(source, /(?<![\w./:$}-])\/(work|root|mnt|Users)\/[\w.-]+/g),
  },
  {
    // A text that starts like this inside quotation marks is the output of an agent under test.
    name: "the repository is about the product, not about who or what typed it",
    appliesTo: (path) => isText(path) && !isRule(path) && !isCaptured(path),
    find: (source) =>
      findText(
        source,
        /\b(AI|LLM|machine)[- ](generated|written|authored)\b|\b(generated|written|authored) (by|with) (an? )?(AI|LLM|assistant|Claude|ChatGPT|Copilot)\b|co-authored-by|(?<!")\bas an AI\b|\bClaude\b(?! (Agent|Code|Opus|Sonnet|Haiku|Fable))/gi,
      ).filter(({ what }) => what !== "claude"),
  },
  {
    name: "a service does not know how it is deployed: standalone is a choice of dependencies made in apps/standalone",
    appliesTo: (path) => /^services\/[^/]+\/src\//.test(path),
    find: (source) => findText(source, /\b(isStandalone|allInOne|standaloneMode|embeddedMode)\b/g),
  },
  {
    name: "SQL is where its name says so: in a file or folder of the feature whose name ends in store, reader or migrations",
    // The servers themselves are administered by the others, and database.ts opens transactions.
    appliesTo: (path) =>
      /^(services|libs)\/[^/]+\/src\/.*\.ts$/.test(path) &&
      !/^libs\/(embedded-servers|testkit|service-tests)\/|^libs\/db\/src\/database\.ts$/.test(path),
    find: findStraySql,
  },
  {
    name: "a regex reads a text once (decision 45): let no two repeats meet, begin a run where it begins, `(?<![ ])[ ]+$`, or scan",
    appliesTo: (path) =>
      /^(services|libs)\/[^/]+\/src\/.*\.ts$/.test(path) && !/^libs\/(testkit|service-tests)\//.test(path),
    find: findSlowRegexes,
  },
];

function findEnvironmentReads(source: SourceText): Finding[] {
  const tree = parseSyntax(source);
  const found: Finding[] = [];
  walkSyntax(tree, (node) => {
    const isAccess =
      ts.isPropertyAccessExpression(node) && node.name.text === "env" && node.expression.getText() === "process";
    const isDestructured =
      ts.isVariableDeclaration(node) &&
      node.initializer?.getText() === "process" &&
      /\benv\b/.test(node.name.getText());
    const isImported =
      ts.isImportDeclaration(node) &&
      /^"(node:)?process"$/.test(node.moduleSpecifier.getText()) &&
      /\benv\b/.test(node.getText());
    if (isAccess || isDestructured || isImported) {
      found.push({ path: source.path, line: lineOf(tree, node.getStart()), what: node.getText() });
    }
  });
  return found;
}

function findDefaultExports(source: SourceText): Finding[] {
  const tree = parseSyntax(source);
  return tree.statements
    .filter((statement) => {
      const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
      return ts.isExportAssignment(statement) || modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
    })
    .map((statement) => ({
      path: source.path,
      line: lineOf(tree, statement.getStart()),
      what: statement.getText().split("\n")[0] ?? "",
    }));
}
