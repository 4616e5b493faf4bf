import { describe, expect, test } from "vitest";
import { findBrokenPaths } from "./broken-paths.ts";
import { findBusUse } from "./bus-use.ts";
import { findBrokenCitations, findUnindexedRecords, isCitation, readCitationTargets } from "./citations.ts";
import { findBrokenSteps, readFlows } from "./flows.ts";
import { houseRules } from "./house-rules.ts";
import { compareWithList, findThinFiles, measureSize, overCeiling, renderList } from "./measure-size.ts";
import { findWord } from "./plain-words.ts";
import { findSpanSqlElsewhere } from "./statements.ts";

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
  "a title is a sentence": {
    bad: [
      ["services/auth/test/keys.test.ts", 'test("a wrong key is 401 [spec:status.401]", () => {});'],
      ["tests/integration/specs/fields.test.ts", "test.each([1])('[spec:trace.id] of %s', () => {});"],
    ],
    good: [["services/auth/test/keys.test.ts", 'test("a wrong key is 401", { tags: ["spec:status.401"] }, () => {});']],
  },
  "a browser test takes no key": {
    bad: [["tests/browser/specs/runs.test.ts", 'const client = createClient(inject("installation"));']],
    good: [
      ["tests/browser/specs/runs.test.ts", 'const own = await createOwnProject("Runs");'],
      ["tests/browser/src/projects.ts", 'export const sample = inject("sample");'],
    ],
  },
  "a metric is in `metricFamilies`": {
    bad: [
      ["services/auth/src/service.ts", 'new Counter({ name: "service_auth_keys_total" });'],
      ["libs/db/src/pool.ts", "new prom.Gauge({});"],
      ["libs/db/src/pool.ts", 'import { Histogram as Times } from "prom-client";'],
    ],
    good: [
      ["libs/service-kit/src/metrics.ts", "new Counter({});"],
      ["services/gateway/src/metrics/gateway-metrics.ts", 'import { AggregatorRegistry } from "prom-client";'],
    ],
  },
  "what happens is logged": {
    bad: [["services/auth/src/main.ts", "console.log(1)"]],
    good: [["tools/generate.ts", "console.log(1)"]],
  },
  "the specification is cited": {
    bad: [["libs/db/src/pool.ts", "/** interface.md, Limits */"]],
    good: [
      ["libs/db/src/pool.ts", "/** interface: Limits; see docs/architecture.md */"],
      ["docs/specification/README.md", "[The interface](interface.md)"],
    ],
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
  "SQL is where its name says so": {
    bad: [
      ["services/auth/src/accounts/sign-in.ts", 'query({ text: "select password from auth.accounts" })'],
      ["services/auth/src/accounts/stored-account.ts", "const text = `\n  SELECT\n    id FROM auth.users`;"],
      ["services/monitor/src/alerts/evaluate.ts", `const text = \`update \${table} set fired_at = now()\`;`],
      ["services/monitor/src/alerts/evaluate.ts", "const text = `with due as (select 1) select * from due`;"],
      ["services/ingest/src/traces/matches.ts", "export const isOlder = `created_at < $2`;"],
      ["services/ingest/src/traces/rows.ts", "const source = `ingest.traces join ingest.agents using (id)`;"],
      ["libs/store-service/src/service.ts", 'query("delete from jobs")'],
    ],
    good: [
      ["services/auth/src/accounts/account-store.ts", 'query({ text: "select password from auth.accounts" })'],
      ["services/ingest/src/trace-store/writing/span-insert.ts", "const text = `insert into ingest.spans (id)`;"],
      ["libs/db/src/schema-migrations.ts", 'query("create schema x")'],
      ["services/judge/src/writing/topic.ts", 'const text = "Select the topic that fits best, with no other word.";'],
      [
        "services/judge/src/writing/topic.ts",
        'refuse("updates set no topic", "commit", address.replace(form, ":$1"));',
      ],
      ["tools/dead-letters/main.ts", 'query("select 1 from evals.outbox")'],
    ],
  },
  "a regex reads a text once": {
    bad: [
      ["services/monitor/src/x.ts", "const form = /-{3,}\\s*(?:begin|start)/;"],
      ["services/monitor/src/x.ts", "const blanks = text.replace(/\\s+$/, '');"],
      ["libs/db/src/x.ts", "z.string().regex(/^(a+)+$/)"],
      ["services/judge/src/x.ts", `const run = "a+";\nconst two = new RegExp(\`^\${run}\${run}$\`, "i");`],
      ["services/judge/src/x.ts", 'const any = RegExp(["a", "b*b"].join("|") + String.raw`\\d*x`);'],
      ["services/judge/src/x.ts", "const theirs = new RegExp(pattern.regex);"],
      ["services/gateway/src/http/route-table.ts", "const noSuchRegexAsTheException = /a/;"],
    ],
    good: [
      ["services/monitor/src/x.ts", "const form = /(?<!-)-{3,}\\s*(?:begin|start)/;"],
      ["services/judge/src/x.ts", `const word = "\\\\b[a-z]+";\nconst two = RegExp(\`\${word} (?:\${word})?\`, "u");`],
      ["tests/conformance/src/x.ts", "expect(text).toMatch(/\\s+$/);"],
    ],
  },
};

describe("a house rule", () => {
  test.for(houseRules)("finds violations and nothing else: $name", ({ name, appliesTo, find }) => {
    const sample = Object.entries(samples).find(([beginning]) => name.startsWith(beginning))?.[1];
    const finds = ([path, text]: [string, string]) => appliesTo(path) && find({ path, text }).length > 0;
    expect(sample?.bad.filter((source) => !finds(source))).toEqual([]);
    expect(sample?.good.filter(finds)).toEqual([]);
  });

  test("reports the line", () => {
    const rule = houseRules.find(({ name }) => name.startsWith("what happens is logged"));
    expect(rule?.find({ path: "a.ts", text: "\n\nconsole.log(1)" })).toEqual([
      { path: "a.ts", line: 3, what: "console.log" },
    ]);
  });
});

describe("the list of oversized files and functions", () => {
  const long = `export function decide() {\n${"  step();\n".repeat(120)}}\n`;
  const wiring = (lines: number) =>
    `export function create() {\n  return {\n    one() {\n${"      step();\n".repeat(lines)}    },\n    two() {\n${"      step();\n".repeat(lines)}    },\n  };\n}\n`;

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

  test("counts the methods of a returned object by themselves, and all together up to 120 lines", () => {
    expect([...measureSize([{ path: "a.ts", text: wiring(56) }])]).toEqual([]);
    expect([...measureSize([{ path: "a.ts", text: wiring(57) }])]).toEqual([["a.ts create", 122]]);
    expect([...measureSize([{ path: "a.test.ts", text: wiring(57) }])]).toEqual([]);
  });

  test("accepts no new entry and no growth, and removes entries that became short", () => {
    const now = new Map([
      ["a.ts decide", 122],
      ["b.ts", 401],
    ]);
    expect(compareWithList(now, renderList(now))).toEqual([]);
    expect(compareWithList(now, "120 a.ts decide\n401 b.ts\n")).toEqual([
      "a.ts decide grew from 120 to 122 lines: split it instead.",
    ]);
    expect(compareWithList(now, "122 a.ts decide\n")).toEqual([
      "b.ts has 401 lines: split it (files 400, functions 100, with those inside 120).",
    ]);
    expect(compareWithList(new Map(), "401 b.ts\n")).toEqual(["b.ts is short enough now: take it off the list."]);
  });
});

describe("a ceiling", () => {
  const source = (path: string, text: string) => ({ path, text });

  test("of thin files counts source files under twenty lines, and neither tests nor tools", () => {
    const thin = "x;\n".repeat(19);
    const sources = [
      source("services/auth/src/thin.ts", thin),
      source("apps/dashboard/src/ui/thin.tsx", thin),
      source("libs/db/src/full.ts", "x;\n".repeat(20)),
      source("libs/db/test/thin.test.ts", thin),
      source("tools/thin.ts", thin),
    ];
    expect(findThinFiles(sources)).toEqual(["services/auth/src/thin.ts", "apps/dashboard/src/ui/thin.tsx"]);
  });

  test("of SQL over spans counts the files of services outside the trace store", () => {
    const read = "const text = `select id\n  from ingest.spans\n  where project_id = $1`;";
    const sources = [
      source("services/ingest/src/agents/agent-store.ts", read),
      source("services/ingest/src/quota/usage-store.ts", 'query("delete from ingest.span_keys")'),
      source("services/ingest/src/trace-store/reading/span-select.ts", read),
      source("services/ingest/src/model/span-row.ts", "/** The columns of a row from ingest.spans. */"),
      source("services/ingest/test/traces.infra.test.ts", read),
    ];
    expect(findSpanSqlElsewhere(sources)).toEqual([
      "services/ingest/src/agents/agent-store.ts",
      "services/ingest/src/quota/usage-store.ts",
    ]);
  });

  test("holds up to its number, and names everything found above it", () => {
    expect(overCeiling(["a.ts", "b.ts"], 2)).toEqual([]);
    expect(overCeiling(["a.ts", "b.ts", "planted.ts"], 2)).toEqual(["a.ts", "b.ts", "planted.ts"]);
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

test("a service that uses a message its contract does not give it is found, and so is a subject in code", () => {
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

describe("a citation", () => {
  const record = { path: "docs/decisions/0007-group-commits.md", text: "# 7. Group commits\n" };
  const targets = readCitationTargets([
    { path: "docs/specification/interface.md", text: "# Interface\n## Limits\n### GET runs\n### GET runs/{runId}\n" },
    { path: "docs/specification/completions.md", text: "## 3. Datasets\n### 3.1 Create\n### 3.10 Import\n" },
    { path: "docs/specification/otlp.md", text: "## 1. Transport\n#### What is invalid\n" },
    record,
  ]);
  const whatIsBroken = (text: string) => findBrokenCitations({ path: "a.ts", text }, targets).map(({ what }) => what);

  test.for([
    ["/** completions 3.2 */", "completions 3.2"],
    ["/** A dataset (completions 3.1, 4). */", "completions 4"],
    ["/** A dataset (completions\n * 3.2). */", "completions 3.2"],
    ["-- Log records (otlp 7).", "otlp 7"],
    ["/** interface: Limit */", "interface: Limit */"],
    ["/** interface: GET runs/{runId}/gate */", "interface: GET runs/{runId}/gate */"],
    ["/** interface: the limits */", "interface: the limits */"],
    ["See decision 8.", "decision 8"],
    ["See decisions 7 and 9.", "decision 9"],
    ["/** decision record 7 */", "decision record 7"],
    ["/** architecture 3 */", "architecture 3"],
    ["/** decisions: Streams */", "decisions: S"],
  ])("without a target is found: %s", ([text = "", what]) => {
    expect(whatIsBroken(text)).toEqual([what]);
  });

  test("is found on its line, in a comment of any kind", () => {
    expect(findBrokenCitations({ path: "a.sql", text: "\n\n-- completions 9\n" }, targets)).toEqual([
      { path: "a.sql", line: 3, what: "completions 9" },
    ]);
  });

  test.for([
    "/** completions 3, 3.1 and 3.10; otlp 1, What is invalid. Interface: Limits. */",
    "/** interface: Limits, tool calls; interface: GET runs/{runId}. */",
    "/** (interface:\n * GET runs) */",
    "Decision 7 says why; 200 completions of a model, 3 decisions.",
    'const settings = { otlp: 8, completions: 4 }; post("/chat/completions");',
  ])("with a target is accepted, and so is a text that is no citation: %s", (text) => {
    expect(whatIsBroken(text)).toEqual([]);
  });

  test("is the whole section of a route or a row of the specification", () => {
    const texts = [
      "completions 3.1",
      "otlp 1; decision 7",
      "interface: Limits",
      "nowhere",
      "completions 4",
      "see otlp 1",
    ];
    expect(texts.filter((text) => isCitation(text, targets))).toEqual(texts.slice(0, 3));
  });

  test("needs its record in the index, under its number and title", () => {
    const index = { path: "docs/decisions/README.md", text: "- [7. Group commits](0007-group-commits.md): why.\n" };
    const late = { path: "docs/decisions/0008-late.md", text: "# 8. Late\n" };
    const twin = { path: "docs/decisions/0007-twin.md", text: "# 7. Twin\n" };
    const untitled = { path: "docs/decisions/0009-untitled.md", text: "# Untitled\n" };
    expect(findUnindexedRecords([index, record])).toEqual([]);
    expect(findUnindexedRecords([index, record, late, twin, untitled])).toEqual([
      'docs/decisions/README.md needs the line "- [8. Late](0008-late.md): <what it decides>".',
      "docs/decisions/0007-twin.md: another record has the number 7.",
      'docs/decisions/0009-untitled.md: the first heading must begin with "9. ".',
    ]);
  });
});

describe("a flow through the files", () => {
  const from = (specifier: string): string => `import {\n  thing,\n} from "${specifier}";\n`;
  const sources = [
    { path: "services/a/src/service.ts", text: from("./door.ts") + from("./store.ts") },
    { path: "services/a/src/door.ts", text: from("./rule.ts") },
    { path: "services/a/src/rule.ts", text: 'import type { Hop } from "@touchstone/kit";\n' },
    { path: "services/a/src/store.ts", text: "" },
    { path: "services/b/src/door.ts", text: "" },
    { path: "libs/kit/src/index.ts", text: 'export { hop } from "./hop.ts";\n' },
    { path: "libs/kit/src/hop.ts", text: "" },
  ];
  const whatIsBroken = (...lines: string[]): string[] =>
    findBrokenSteps(
      readFlows(`### Flow\n\n${lines.map((line, index) => `${index + 1}. ${line}: does.\n`).join("")}`),
      sources,
    );
  const [door, rule, store, hop, other] = ["a/src/door", "a/src/rule", "a/src/store", "", "b/src/door"].map((name) =>
    name === "" ? "`libs/kit/src/hop.ts`" : `\`services/${name}.ts\``,
  );

  test("that matches the code is accepted", () => {
    expect(whatIsBroken(`${door}`, `${hop}`, `HTTP → ${other}`, `back → ${rule}`, `\`service.ts\` → ${store}`)).toEqual(
      [],
    );
  });

  test.for<[string[], string]>([
    [["`services/a/src/gone.ts`"], "services/a/src/gone.ts does not exist"],
    [[`${rule}`, `${door}`], "services/a/src/rule.ts does not import services/a/src/door.ts"],
    [[`${door}`, `HTTP → ${rule}`], "services/a/src/rule.ts is in the same service as services/a/src/door.ts"],
    [[`${other}`, `back → ${rule}`], "nothing before services/a/src/rule.ts imports it"],
    [
      [`${door}`, `\`service.ts\` → ${rule}`],
      "services/a/src/door.ts imports services/a/src/rule.ts: it needs no service.ts",
    ],
    [[`${door}`, `\`rule.ts\` → ${store}`], "services/a/src/rule.ts does not import services/a/src/door.ts"],
  ])("that does not match the code is found: %s", ([lines, what]) => {
    expect(whatIsBroken(...lines)[0]).toBe(what);
  });
});

test("a refused word is found in documents, comments and titles, and not in code, strings or other words", () => {
  const text = [
    "/** A key; whoever",
    " * has it, reads. */",
    'test("is for Whoever asks", () => {',
    '  const whoever = "whoever"; // of whoever',
    '  test.runIf(isRoot)(`for whoever`, () => ask("https://example.com/whoever"));',
  ].join("\n");
  expect(findWord({ path: "libs/db/test/a.test.ts", text }, "whoever").map(({ line }) => line)).toEqual([1, 4, 3, 5]);
  expect(findWord({ path: "docs/a.ts", text }, "whoever")).toEqual([]);
  expect(findWord({ path: "docs/a.md", text: "# Keys\n\nWhoever reads" }, "whoever")).toMatchObject([{ line: 3 }]);
  expect(
    findWord({ path: "libs/db/a.ts", text: "/** waits for\n * ever; as `away`, throw-away */" }, "for ever"),
  ).toHaveLength(1);
  expect(findWord({ path: "libs/db/a.ts", text: "/** as `away`, throw-away, awayness */" }, "away")).toEqual([]);
});
