import { describe, expect, test } from "vitest";
import { findBrokenPaths } from "./broken-paths.ts";
import { findBusUse } from "./bus-use.ts";
import { houseRules } from "./house-rules.ts";
import { compareWithList, measureSize, renderList } from "./measure-size.ts";

/** What each rule must find, by the beginning of its name, and what it must leave alone. */
const samples: Record<string, { bad: [path: string, text: string][]; good: [path: string, text: string][] }> = {
  "only main.ts reads the environment": {
    bad: [
      ["libs/db/src/database.ts", "const url = process.env.SERVICE_DB_URL;"],
      ["services/auth/src/config.ts", "const { env } = process;"],
      ["services/auth/src/config.ts", 'import { env } from "node:process";'],
    ],
    good: [
      ["services/auth/src/main.ts", "start(process.env);"],
      ["libs/db/src/database.ts", "// only main.ts may use process.env\nprocess.exitCode = 1;"],
    ],
  },
  "exports have names": {
    bad: [
      ["libs/db/src/database.ts", "export default function open() {}"],
      ["libs/db/src/database.ts", "const x = 1;\nexport default x;"],
    ],
    good: [["vitest.config.ts", "export default {};"]],
  },
  "a file is named for what it holds": {
    bad: [
      ["libs/db/src/utils.ts", ""],
      ["libs/db/src/string-helpers.ts", ""],
      ["libs/db/src/common/pool.ts", ""],
      ["libs/db/src/traceStore.ts", ""],
      ["libs/db/src/pool-manager.ts", ""],
    ],
    good: [
      ["services/judge/src/common-subsequence.ts", ""],
      ["libs/contracts/src/bus/judge.v1.ts", ""],
      ["libs/db/test/pool.infra.test.ts", ""],
    ],
  },
  "nothing is left over": {
    bad: [
      ["libs/db/src/pool.ts", "// FIXME wrong"],
      ["README.md", "TODO: describe"],
    ],
    good: [["libs/db/src/pool.ts", "// TODO drop the second name until no sender of v1 is left"]],
  },
  "every test runs": {
    bad: [
      ["libs/db/test/pool.test.ts", 'test.only("x", () => {});'],
      ["libs/db/test/pool.test.ts", 'describe.skip("x", () => {});'],
      ["libs/db/test/pool.test.ts", 'test.for([1]).only("x", () => {});\ntest.concurrent.only("x", () => {});'],
    ],
    good: [["libs/db/test/pool.test.ts", 'test.skipIf(isRoot)("x", () => {});']],
  },
  "what happens is logged": {
    bad: [["services/auth/src/main.ts", "console.log(1)"]],
    good: [["tools/generate.ts", "console.log(1)"]],
  },
  "the specification is cited": {
    bad: [["libs/db/src/pool.ts", "/** interface.md, Limits */"]],
    good: [["libs/db/src/pool.ts", "/** interface: Limits; see docs/architecture.md */"]],
  },
  "no path of somebody's machine": {
    bad: [["README.md", "cd /work/project && npm start"]],
    good: [["README.md", "data is in /var/lib/touchstone; see https://example.org/work/x"]],
  },
  "the repository is about the product": {
    bad: [
      ["README.md", "AI-generated"],
      ["README.md", "written by an assistant"],
      ["docs/x.md", "Claude wrote this"],
    ],
    good: [["services/ingest/src/otlp/dialects.ts", "// Claude Code sends logs; claude-agent-sdk sends spans"]],
  },
  "a service does not know how it is deployed": {
    bad: [["services/auth/src/service.ts", "if (config.isStandalone) return;"]],
    good: [["apps/standalone/src/main.ts", "const isStandalone = true;"]],
  },
};

describe("a house rule", () => {
  test.for(houseRules)("finds what it forbids and leaves the rest: $name", ({ name, appliesTo, find }) => {
    const sample = Object.entries(samples).find(([beginning]) => name.startsWith(beginning))?.[1];
    const finds = ([path, text]: [string, string]) => appliesTo(path) && find({ path, text }).length > 0;
    expect(sample?.bad.filter((source) => !finds(source))).toEqual([]);
    expect(sample?.good.filter(finds)).toEqual([]);
  });

  test("says where", () => {
    const rule = houseRules.find(({ name }) => name.startsWith("what happens is logged"));
    expect(rule?.find({ path: "a.ts", text: "\n\nconsole.log(1)" })).toEqual([
      { path: "a.ts", line: 3, what: "console.log" },
    ]);
  });
});

describe("the list of what is too long", () => {
  const long = `export function decide() {\n${"  step();\n".repeat(120)}}\n`;
  const wiring = `export function create() {\n  return {\n    one() {\n${"      step();\n".repeat(80)}    },\n    two() {\n${"      step();\n".repeat(80)}    },\n  };\n}\n`;

  test("asks for a function over 100 lines and a file over 400", () => {
    const found = measureSize([
      { path: "a.ts", text: long },
      { path: "b.ts", text: "x;\n".repeat(401) },
    ]);
    expect([...found]).toEqual([
      ["a.ts decide", 122],
      ["b.ts", 401],
    ]);
  });

  test("counts the methods of a returned object by themselves", () => {
    expect([...measureSize([{ path: "a.ts", text: wiring }])]).toEqual([]);
  });

  test("takes nothing new, lets nothing grow and keeps nothing that became short", () => {
    const now = new Map([
      ["a.ts decide", 122],
      ["b.ts", 401],
    ]);
    expect(compareWithList(now, renderList(now))).toEqual([]);
    expect(compareWithList(now, "120 a.ts decide\n401 b.ts\n")).toEqual([
      "a.ts decide grew from 120 to 122 lines: split it instead.",
    ]);
    expect(compareWithList(now, "122 a.ts decide\n")).toEqual([
      "b.ts has 401 lines: split it (files 400, functions 100).",
    ]);
    expect(compareWithList(new Map(), "401 b.ts\n")).toEqual(["b.ts is short enough now: take it off the list."]);
  });
});

test("a page that mentions or links to a missing file is found, and patterns and web links are not", () => {
  const text = "See `libs/db/src/gone.ts`, [x](../here.md), [y](gone.md#top), [z](https://x.y/z), `tools/<name>/x.ts`.";
  const there = (path: string) => path === "docs/here.md";
  expect(findBrokenPaths({ path: "docs/operating/page.md", text }, there)).toEqual([
    "docs/operating/page.md mentions libs/db/src/gone.ts",
    "docs/operating/page.md mentions docs/operating/gone.md",
  ]);
});

test("a service that uses a message its contract does not give it is found, and a subject written out", () => {
  const found = findBusUse([
    { path: "services/auth/src/x.ts", text: "bus.request(scoreResult, body)" },
    { path: "services/judge/src/y.ts", text: 'answer("svc.judge.score-result.v1")' },
  ]);
  expect(found).toEqual(
    expect.arrayContaining([
      "auth uses scoreResult, but its contract does not say so.",
      "judge never uses scoreResult.",
      'services/judge/src/y.ts writes "svc.judge.score-result.v1": use scoreResult.subject.',
    ]),
  );
});
