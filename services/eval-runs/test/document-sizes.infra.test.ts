import { randomUUID } from "node:crypto";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { limits } from "@touchstone/contracts";
import { type Database, migrateSchema, openDatabase } from "@touchstone/db";
import { createTestDatabase, type TestDatabase } from "@touchstone/testkit";
import { beforeAll, expect, test } from "vitest";
import { evalRunsSchema } from "../src/schema.ts";
import { createProjectClient, type ProjectClient } from "./project-client.ts";
import { quiet } from "./start-eval-runs.ts";
import { useService, useTestSystem } from "./test-system.ts";

beforeAll(() => {
  // The service runs in this process. A page of the real size would only make this slow.
  Object.assign(limits, { listBytesMax: 100_000 });
});

const system = useTestSystem();
const running = useService(system);

const prefix = "/api/v1";

/** Where the sizes of texts are stored, the columns they measure together. */
const stored = {
  dataset_versions: { size: "document_bytes", columns: ["document"] },
  grading_config_versions: { size: "document_bytes", columns: ["document"] },
  tool_schemas: { size: "document_bytes", columns: ["document"] },
  tool_schema_versions: { size: "document_bytes", columns: ["document"] },
  prompt_versions: { size: "content_bytes", columns: ["text", "messages", "config"] },
} as const;

/** How an earlier version stores a row of each table. */
const earlierRows = {
  dataset_versions: [
    `insert into evals.dataset_versions (project_id, dataset_id, version, document, created_at)
      values ($1, $2, 1, '{"name": "früher"}', now())`,
  ],
  grading_config_versions: [
    `insert into evals.grading_config_versions (project_id, config_id, version, document, change_summary, created_at)
      values ($1, $2, 1, '{"name": "früher"}', 'Created', now())`,
  ],
  tool_schemas: [
    `insert into evals.tool_schemas (project_id, id, name, version, document, created_at, updated_at)
      values ($1, $2, $2::uuid, 1, '{"definition": "früher"}', now(), now())`,
  ],
  tool_schema_versions: [
    `insert into evals.tool_schema_versions (project_id, tool_schema_id, version, document, created_at)
      values ($1, $2, 1, '{"definition": "früher"}', now())`,
  ],
  prompt_versions: [
    `insert into evals.prompts (project_id, id, name, version, created_at, updated_at)
      values ($1, $2, $2::uuid, 1, now(), now())`,
    `insert into evals.prompt_versions (project_id, prompt_id, version, text, created_at)
      values ($1, $2, 1, '"früher"', now())`,
  ],
} as const;

type Table = keyof typeof stored;
const tables = Object.keys(stored) as Table[];

/** Runs statements as the superuser: on the rows of every project. */
function openSuperuser({ adminUrl: url }: TestDatabase) {
  const database: Database = openDatabase({
    url,
    role: new URL(url).username,
    applicationName: "test",
    connectionsMax: 1,
    statementTimeoutMs: 20_000,
    logger: quiet,
  });
  system.cleanups.defer(() => database.close());
  return async <Row extends object>(text: string, ...values: unknown[]): Promise<Row[]> =>
    (await database.query<Row & Record<string, unknown>>({ name: "", text, values })).rows;
}

type Superuser = ReturnType<typeof openSuperuser>;

/** The sizes of a table's rows in a project: as they are stored, and as they are. */
async function sizesIn(
  superuser: Superuser,
  table: Table,
  projectId: string,
): Promise<{ told: (number | null)[]; real: number[] }> {
  const { size, columns } = stored[table];
  const rows = await superuser<{ told: number | null; real: number }>(
    `select ${size} as told, ${columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(" + ")} as real
      from evals.${table}
      where project_id = $1`,
    projectId,
  );
  return { told: rows.map((row) => row.told), real: rows.map((row) => row.real) };
}

async function expectRightSizes(superuser: Superuser, projectId: string, rowsMin: number): Promise<void> {
  for (const table of tables) {
    const sizes = await sizesIn(superuser, table, projectId);
    expect(sizes.real.length, table).toBeGreaterThanOrEqual(rowsMin);
    expect(sizes.told, table).toEqual(sizes.real);
  }
}

/** Characters of several bytes, because sizes are bytes. Three fit on a page, a fourth does not. */
const long = "länge ".repeat(4_300);

/** Four large things of each kind; tool schemas are small first. */
async function makeLargeThings(client: ProjectClient): Promise<void> {
  const make = async (path: string, body: object): Promise<string> => {
    const { status, text, body: made } = await client.sendTo("POST", `${prefix}${path}`, body);
    expect(status, text.slice(0, 200)).toBe(201);
    return made._id;
  };
  for (const at of [0, 1, 2, 3]) {
    await make("/custom-agent-evaluations/datasets", { name: `d${at}`, evaluationCriteria: long });
    await make("/custom-agent-evaluations/evaluation-settings", { name: `s${at}`, evaluationCriteria: long });
    const content = at < 3 ? { text: long } : { type: "chat", messages: [{ role: "user", content: long }] };
    await make("/custom-agent-evaluations/prompts", { name: `p${at}`, config: { model: "größer" }, ...content });
    const id = await make("/evaluate/tool-schemas", { name: `t${at}`, definition: "short" });
    const changed = await client.sendTo("PATCH", `${prefix}/evaluate/tool-schemas/${id}`, { definition: long });
    expect(changed.status, changed.text.slice(0, 200)).toBe(200);
  }
}

const lists = [
  ["/custom-agent-evaluations/datasets", "datasets"],
  ["/custom-agent-evaluations/evaluation-settings", "evaluationSettings"],
  ["/custom-agent-evaluations/prompts", "prompts"],
  ["/evaluate/tool-schemas", "toolSchemas"],
] as const;

/** The first page of each list, and each export. */
async function readAll(client: ProjectClient): Promise<string[]> {
  const exported = ["datasets", "dataset-versions", "evaluation-settings", "prompt-versions", "tool-schemas"];
  const paths = [...lists.map(([path]) => path), ...exported.map((entity) => `/export/${entity}`)];
  return Promise.all(paths.map(async (path) => (await client.sendTo("GET", `${prefix}${path}`)).text));
}

test("sizes are those of the texts, also after a change, and pages are the same without them", async () => {
  const client = createProjectClient(running.address);
  const superuser = openSuperuser(system.database);
  await makeLargeThings(client);
  await expectRightSizes(superuser, client.projectId, 4);

  const sized = await readAll(client);
  for (const [at, [, name]] of lists.entries()) {
    const page = JSON.parse(sized[at] as string);
    expect([page[name].length, page.truncatedBy], name).toEqual([3, "bytes"]);
  }
  for (const table of tables) {
    await superuser(`update evals.${table} set ${stored[table].size} = null where project_id = $1`, client.projectId);
  }
  expect(await readAll(client)).toEqual(sized);
});

test("an update from a version without sizes rewrites no table, and what that version writes afterwards has sizes", async () => {
  const database = await createTestDatabase();
  system.cleanups.defer(() => database.drop());
  const superuser = openSuperuser(database);
  const earlier = await mkdtemp(path.join(tmpdir(), "touchstone-migrations-"));
  system.cleanups.defer(() => rm(earlier, { recursive: true }));
  for (const name of await readdir(evalRunsSchema.directory)) {
    if (name < "0014") await cp(path.join(evalRunsSchema.directory, name), path.join(earlier, name));
  }
  const projectId = randomUUID();
  const storeRows = async (): Promise<void> => {
    const id = randomUUID();
    for (const table of tables) for (const text of earlierRows[table]) await superuser(text, projectId, id);
  };
  const filesOfTables = (): Promise<unknown[]> =>
    superuser(
      "select relname, relfilenode from pg_class where relnamespace = 'evals'::regnamespace and relkind in ('r', 't')",
    );

  await migrateSchema({ url: database.url, ...evalRunsSchema, directory: earlier, logger: quiet });
  await storeRows();
  const files = await filesOfTables();
  await migrateSchema({ url: database.url, ...evalRunsSchema, logger: quiet });
  expect(await filesOfTables()).toEqual(expect.arrayContaining(files));
  await storeRows();

  for (const table of tables) {
    const { told, real } = await sizesIn(superuser, table, projectId);
    expect(told, table).toEqual([null, real[1]]);
    for (const column of stored[table].columns) {
      await superuser(`update evals.${table} set ${column} = '"länger als zuvor"' where project_id = $1`, projectId);
      const sizes = await sizesIn(superuser, table, projectId);
      expect(sizes.told, `${table}.${column}`).toEqual(sizes.real);
    }
  }
});
