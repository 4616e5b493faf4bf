import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { busMessages, type Route, routes, settings } from "@touchstone/contracts";
import { beforeAll, describe, expect, test } from "vitest";
import { findSettingReaders } from "./golden-files/setting-readers.ts";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";
import { findBrokenPaths } from "./tidy/broken-paths.ts";
import { findBusUse } from "./tidy/bus-use.ts";
import { findBrokenCitations, findUnindexedRecords, isCitation, readCitationTargets } from "./tidy/citations.ts";
import { findBrokenSteps, readFlows } from "./tidy/flows.ts";
import { houseRules } from "./tidy/house-rules.ts";
import { bodiesReadByHand, findUnjudgedBodies } from "./tidy/json-bodies.ts";
import { compareWithList, findLargeFiles, findThinFiles, measureSize, overCeiling } from "./tidy/measure-size.ts";
import { findWord, wordsMax } from "./tidy/plain-words.ts";
import type { SourceText } from "./tidy/source-text.ts";
import { findRepeated, findSpanSqlElsewhere, findStatementNames } from "./tidy/statements.ts";

/** The house rules, over the whole repository. Each failure names the place and the alternative. */
let files: string[] = [];
let sources: SourceText[] = [];
let ignored: string[] = [];

beforeAll(async () => {
  ignored = (await readFile(path.join(repositoryRoot, ".gitignore"), "utf8")).split("\n");
  files = await repositoryFiles();
  const isText = /\.(tsx?|css|html|mjs|cjs|json|md|sql|txt|yaml|yml|sh|conf)$|Dockerfile$/;
  sources = await Promise.all(
    files
      .filter((file) => isText.test(file))
      .map(async (file) => ({ path: file, text: await readFile(path.join(repositoryRoot, file), "utf8") })),
  );
});

/** Source files of less than twenty lines. This number may only fall. */
const thinFilesMax = 116;
/** Files of services outside the trace store with SQL over spans. This number may only fall. */
const spanSqlFilesMax = 10;

describe("every file", () => {
  test.for(houseRules)("$name", ({ appliesTo, find }) => {
    const found = sources.filter((source) => appliesTo(source.path)).flatMap(find);
    expect(found.map(({ path: file, line, what }) => `${file}:${line} ${what}`)).toEqual([]);
  });

  test("is short enough, except for those on a list that may only shrink", async () => {
    const list = await readFile(path.join(repositoryRoot, "tools/tidy/oversized.txt"), "utf8");
    const typescript = sources.filter(({ path: file }) => /\.tsx?$/.test(file) && !/\.gen\.(d\.)?ts$/.test(file));
    expect(compareWithList(measureSize(typescript), list)).toEqual([]);
  });

  test("is small enough for a repository", async () => {
    const sizes = await Promise.all(
      files.map(async (file) => ({ file, bytes: (await stat(path.join(repositoryRoot, file))).size })),
    );
    expect(findLargeFiles(sizes)).toEqual([]);
  });

  test("of source code has a minimum size: few have less than twenty lines, and ever fewer", () => {
    expect(overCeiling(findThinFiles(sources), thinFilesMax)).toEqual([]);
  });

  test("that a page mentions exists", () => {
    const pages = sources.filter(({ path: file }) => file.endsWith(".md"));
    expect(pages.flatMap((page) => findBrokenPaths(page, existsInRepository))).toEqual([]);
  });
});

describe("citations", () => {
  test("of the specification and of decision records resolve; docs/specification/README.md lists the forms", () => {
    const targets = readCitationTargets(sources);
    const citing = sources.filter(
      ({ path: file }) => /\.(tsx?|sql|md)$/.test(file) && !/^tools\/tidy|(^|\/)fixtures\//.test(file),
    );
    const broken = citing.flatMap((source) => findBrokenCitations(source, targets));
    expect(broken.map(({ path: file, line, what }) => `${file}:${line} ${what}`)).toEqual([]);
  });

  test("name the section that describes every route and every row of the specification", () => {
    const targets = readCitationTargets(sources);
    const rows = sources.find(({ path: file }) => file === "tools/spec-coverage/rows.json")?.text ?? "[]";
    const sections = [...Object.values<Route>(routes), ...(JSON.parse(rows) as { section: string }[])];
    expect(sections.length).toBeGreaterThan(400);
    expect(new Set(sections.map(({ section }) => section).filter((section) => !isCitation(section, targets)))).toEqual(
      new Set(),
    );
  });

  test("find each decision record in the index, under its number and title", () => {
    expect(findUnindexedRecords(sources)).toEqual([]);
  });
});

describe("ARCHITECTURE.md", () => {
  test("follows four requests through files that exist, in the order in which they import one another", () => {
    const flows = readFlows(sources.find(({ path: file }) => file === "ARCHITECTURE.md")?.text ?? "");
    expect(flows.map((steps) => steps.length > 10)).toEqual([true, true, true, true]);
    expect(findBrokenSteps(flows, sources)).toEqual([]);
  });
});

describe("services", () => {
  test("serve every route of the contracts, once, from a table of routes", () => {
    // The gateway's own routes are one line each in one file.
    const own = sources.find(({ path: file }) => file === "services/gateway/src/operations/own-routes.ts")?.text ?? "";
    const tables = sources.filter(({ path: file }) =>
      /^services\/[^/]+\/src\/(.*\/)?([^/]*routes\.ts$|http\/)/.test(file),
    );
    const wrong = Object.values<Route>(routes).filter(({ id, owner, authentication }) => {
      if (owner === "gateway") return !new RegExp(`\\b${id}\\b`).test(own);
      // The accounts library serves them; auth forwards them all in one way.
      if (authentication.includes("account")) return false;
      const row = new RegExp(`\\broutes\\.${id}\\b(?!\\.body)`, "g");
      const served = tables.filter(({ path: file }) => file.startsWith(`services/${owner}/`));
      return served.flatMap(({ text }) => text.match(row) ?? []).length !== 1;
    });
    expect(wrong.map(({ id, owner }) => `${owner}: ${id}`)).toEqual([]);
  });

  test("have the contract's schema judge every JSON body, but for those in the list", () => {
    expect(findUnjudgedBodies(Object.values(routes), bodiesReadByHand)).toEqual([]);
  });

  test("use a bus message exactly where its contract says they do, and write its subject nowhere", () => {
    const code = sources.filter(({ path: file }) => /^services\/[^/]+\/src\/.*\.ts$/.test(file));
    expect(findBusUse(code)).toEqual([]);
  });

  test("name each statement once, so that a name in a log means one text", () => {
    const code = sources.filter(({ path: file }) => /^(services\/[^/]+|libs\/db)\/src\/.*\.ts$/.test(file));
    const names = findStatementNames(code);
    expect(names.length).toBeGreaterThan(400);
    expect(findRepeated(names)).toEqual([]);
  });

  test("read and write spans in the trace store of ingest: few other files do, and ever fewer", () => {
    expect(overCeiling(findSpanSqlElsewhere(sources), spanSqlFilesMax)).toEqual([]);
  });

  test("number their migrations from 0001 without a gap", () => {
    const migrations = files.filter((file) => /^services\/[^/]+\/migrations\//.test(file));
    const folders = Map.groupBy(migrations, (file) => path.dirname(file));
    for (const [folder, names] of folders) {
      const numbers = names.map((name) => path.basename(name).slice(0, 5));
      expect(numbers, folder).toEqual(names.map((_, index) => `${String(index + 1).padStart(4, "0")}-`));
    }
  });

  test("read every setting, and the operator's page lists the readers", async () => {
    const readers = await findSettingReaders();
    expect(Object.keys(settings).filter((name) => !readers.has(name))).toEqual([]);
  });
});

describe("packages", () => {
  test("use every library in the one version of the catalog", () => {
    const manifests = sources.filter(({ path: file }) => /(^|\/)package\.json$/.test(file));
    const strays = manifests.flatMap(({ path: file, text }) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text);
      return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => version !== "catalog:" && version !== "workspace:*")
        .map(([name, version]) => `${file}: ${name} ${version}`);
    });
    // dependency-cruiser cannot read TypeScript files with typescript 7, which checks the types everywhere else.
    expect(strays).toEqual(["tools/package.json: typescript 6.0.2"]);
  });

  test("export src/index.ts and nothing else", () => {
    // The bench is not a test, and the rest of testkit loads the test runner; few tests need an identity provider or a
    // collector. A computing thread needs the limits and none of the schemas, which take 60 MB, and no server.
    const more: Record<string, object> = {
      "libs/contracts/package.json": { "./limits": "./src/limits.ts" },
      "libs/service-kit/package.json": { "./thread": "./src/thread.ts" },
      "libs/testkit/package.json": {
        "./scripted-llm": "./src/scripted-llm.ts",
        "./identity-provider": "./src/identity-provider.ts",
        "./otlp-collector": "./src/otlp-collector.ts",
        "./program-file": "./src/program-file.ts",
      },
    };
    for (const { path: file, text } of sources) {
      if (!/^(services|libs)\/[^/]+\/package\.json$/.test(file)) continue;
      expect(JSON.parse(text).exports, file).toEqual({ ".": "./src/index.ts", ...more[file] });
    }
  });

  test("depend on one another without a cycle, including their tests: the package manager warns of one at every install", () => {
    const manifests = sources
      .filter(({ path: file }) => /(^|\/)package\.json$/.test(file))
      .map(({ text }) => JSON.parse(text));
    const needs = new Map(
      manifests.map(({ name, dependencies, devDependencies }) => [
        name as string,
        Object.keys({ ...dependencies, ...devDependencies }).filter((other) => other.startsWith("@touchstone/")),
      ]),
    );
    // A package without remaining dependencies cannot be in a cycle.
    for (let left = needs.size + 1; left > needs.size; ) {
      left = needs.size;
      for (const [name, others] of needs) if (!others.some((other) => needs.has(other))) needs.delete(name);
    }
    expect([...needs.keys()]).toEqual([]);
  });

  test("share one zod: with two, a schema of one is not recognised by the other", () => {
    const lock = sources.find(({ path: file }) => file === "pnpm-lock.yaml")?.text ?? "";
    expect(new Set(lock.match(/^ {2}zod@[\d.]+/gm))).toHaveProperty("size", 1);
  });
});

describe("every bus message", () => {
  test("has a frozen fixture, so that a change that would break old senders is noticed", () => {
    const without = busMessages.filter(
      ({ subject }) => !files.some((file) => file.startsWith(`libs/contracts/fixtures/bus/${subject}`)),
    );
    expect(without.map(({ subject }) => subject)).toEqual([]);
  });
});

describe("comments and test titles", () => {
  test.for(Object.entries(wordsMax))(
    "use the word %j at most %i times: lower the number when one goes",
    ([word, max]) => {
      const found = sources.flatMap((source) => findWord(source, word));
      const places = found.map(({ path: file, line }) => `${file}:${line}`);
      expect(overCeiling(places, max)).toEqual([]);
    },
  );
});

/** Exists, or is created on the operator's machine and listed in .gitignore. */
function existsInRepository(file: string): boolean {
  return existsSync(path.join(repositoryRoot, file)) || ignored.includes(file);
}
