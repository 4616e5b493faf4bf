import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { repositoryRoot } from "../repository-files.ts";
import { type Cruise, cruiseImports } from "./cruise.ts";

/** Files that break a rule, next to files that break none. A cycle is reported once, at the first of its files. */
const planted: { file: string; text: string; breaks: string[] }[] = [
  {
    file: "services/ingest/src/planted-visitor.ts",
    text: 'import "../../eval-runs/src/planted.ts";',
    breaks: ["services-are-islands"],
  },
  {
    file: "apps/standalone/src/planted.ts",
    text: 'import "../../../services/eval-runs/src/planted.ts";',
    breaks: ["services-have-one-face"],
  },
  {
    file: "libs/db/src/planted-visitor.ts",
    text: 'import "../../../tools/repository-files.ts";',
    breaks: ["libs-know-no-service"],
  },
  {
    file: "services/auth/src/mail/planted-client.ts",
    text: 'import type OpenAI from "openai";\nexport type Rule = (client: OpenAI) => void;',
    breaks: ["imports-resolve", "only-judge-providers-import-openai"],
  },
  { file: "services/gateway/src/http/planted.ts", text: 'import "fastify";', breaks: [] },
  {
    file: "libs/contracts/src/planted.ts",
    text: 'import "node:fs/promises";',
    breaks: ["contracts-import-zod-only"],
  },
  { file: "services/judge/src/providers/planted.ts", text: 'import "openai";', breaks: [] },
  {
    file: "services/monitor/src/traces/planted.ts",
    text: 'import "@nats-io/transport-node";',
    breaks: ["only-the-bus-imports-nats", "imports-resolve"],
  },
  {
    file: "services/ingest/src/sessions/planted-store.ts",
    text: 'import "pg";',
    breaks: ["only-the-database-library-imports-pg", "imports-resolve"],
  },
  { file: "libs/db/src/planted-pool.ts", text: 'import "pg";', breaks: [] },
  {
    file: "tests/integration/src/planted.ts",
    text: 'import "../../../services/eval-runs/src/index.ts";',
    breaks: ["black-box-tests-import-no-service"],
  },
  {
    file: "tests/browser/specs/planted.ts",
    text: 'import "../../integration/src/client.ts";',
    breaks: ["browser-tests-write-in-projects-of-their-own"],
  },
  {
    file: "tests/conformance/src/planted.ts",
    text: 'import "../../../apps/standalone/src/planted.ts";',
    breaks: ["conformance-starts-nothing"],
  },
  {
    file: "services/auth/src/planted.ts",
    text: 'import "../test/planted.ts";',
    breaks: ["no-test-code-in-production"],
  },
  {
    file: "libs/db/src/planted-vitest.ts",
    text: 'import "vitest";',
    breaks: ["no-development-package-in-production"],
  },
  {
    file: "services/judge/src/planted-server.ts",
    text: 'import "../../../libs/embedded-servers/src/index.ts";',
    breaks: ["services-bring-no-servers"],
  },
  {
    file: "packages/sdk/src/planted.ts",
    text: 'import "../../../libs/contracts/src/index.ts";',
    breaks: ["packages-talk-http"],
  },
  {
    file: "apps/dashboard/src/traces/planted.tsx",
    text: 'import "../../../../libs/contracts/src/index.ts";\nimport "../runs/planted-target.ts";',
    breaks: ["dashboard-features-are-islands", "dashboard-talks-http"],
  },
  {
    file: "apps/dashboard/src/ui/planted.ts",
    text: 'import "../runs/planted-target.ts";',
    breaks: ["dashboard-layers"],
  },
  { file: "apps/dashboard/src/runs/planted-target.ts", text: 'import "../ui/class-names.ts";', breaks: [] },
  { file: "libs/db/src/planted-egg.ts", text: 'import "./planted-hen.ts";', breaks: ["no-cycles"] },
  { file: "libs/db/src/planted-hen.ts", text: 'import "./planted-egg.ts";', breaks: [] },
  { file: "libs/db/src/planted-lost.ts", text: 'import "./nowhere.ts";', breaks: ["imports-resolve"] },
  { file: "libs/db/src/planted-unread.ts", text: 'import "./nowhere.ts";', breaks: [] },
  { file: "services/eval-runs/src/planted.ts", text: "export const target = 1;", breaks: [] },
  { file: "services/auth/test/planted.ts", text: "export const target = 1;", breaks: [] },
];

const { rooms, pureRooms }: { rooms: Record<string, Record<string, string>>; pureRooms: Record<string, string[]> } =
  createRequire(import.meta.url)("./rooms.cjs");

/** Every room imports a room above it. */
const plantedInRooms = Object.entries(rooms).flatMap(([service, own]) => {
  const inService = (file: string, text: string, ...breaks: string[]) => ({
    file: `services/${service}/src/${file}`,
    text,
    breaks: breaks.map((rule) => rule.replace("*", service)),
  });
  const limited = Object.entries(own).flatMap(([room, may]) => (may === "*" ? [] : [room]));
  return [
    inService("planted-above.ts", "export const target = 1;"),
    inService("unlisted/planted.ts", 'import "../planted-above.ts";', "rooms-of-*-are-listed"),
    ...limited.map((room) => inService(`${room}/planted-up.ts`, 'import "../planted-above.ts";', `rooms-of-*-${room}`)),
    ...limited.slice(0, 1).map((room) => {
      return inService(`${room}/planted-root.ts`, 'import "../main.ts";', `rooms-of-*-${room}`, "root-of-*-is-on-top");
    }),
    ...(pureRooms[service] ?? []).map((room) => {
      const toTarget = "../".repeat(3 + room.split("/").length);
      return inService(
        `${room}/planted-query.ts`,
        `import "${toTarget}libs/db/src/planted-target.ts";`,
        "pure-rooms-of-*-know-no-database",
      );
    }),
  ];
});
planted.push(
  { file: "libs/db/src/planted-target.ts", text: "export const target = 1;", breaks: [] },
  ...plantedInRooms,
);

let tree = "";
let cruise: Cruise;

/** A copy of the repository with the files above in it; packages are linked as they are here. */
beforeAll(async () => {
  tree = await mkdtemp(path.join(tmpdir(), "touchstone-imports-"));
  const left = new Set(["node_modules", ".git", ".cache"].map((name) => path.join(repositoryRoot, name)));
  await cp(repositoryRoot, tree, { recursive: true, verbatimSymlinks: true, filter: (source) => !left.has(source) });
  await symlink(path.join(repositoryRoot, "node_modules"), path.join(tree, "node_modules"));
  for (const { file, text } of planted) {
    await mkdir(path.dirname(path.join(tree, file)), { recursive: true });
    await writeFile(path.join(tree, file), `${text}\n`);
  }
  const config = path.join(tree, ".dependency-cruiser.cjs");
  await cp(config, path.join(tree, "rules.cjs"));
  await writeFile(
    config,
    'const rules = require("./rules.cjs");\nrules.options.exclude = { path: "planted-unread" };\nmodule.exports = rules;\n',
  );
  cruise = await cruiseImports(tree);
}, 480_000);

afterAll(async () => {
  await rm(tree, { recursive: true, force: true });
});

describe("the import rules", () => {
  test.for(planted)("$file breaks $breaks", ({ file, breaks }) => {
    const found = cruise.violations.filter(({ from }) => from === file).map(({ rule }) => rule);
    expect([...new Set(found)].sort()).toEqual([...breaks].sort());
  });

  test("are kept by every other file of the repository", () => {
    const files = new Set(planted.map(({ file }) => file));
    expect(cruise.violations.filter(({ from }) => !files.has(from))).toEqual([]);
  });

  test("all have a planted violation", () => {
    const rules: { forbidden: { name: string }[] } = createRequire(import.meta.url)("../../.dependency-cruiser.cjs");
    const broken = new Set(planted.flatMap(({ breaks }) => breaks));
    expect(rules.forbidden.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([]);
  });

  test("a file that was not read is named, because no rule was checked for it", () => {
    expect(cruise.unread).toEqual(["libs/db/src/planted-unread.ts"]);
  });
});
