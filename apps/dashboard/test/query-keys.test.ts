import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import type { ProjectApi } from "../src/api/client.ts";
import { createQueries } from "../src/api/queries.ts";
import { retentionQuery } from "../src/blocks/retention-query.ts";
import { agentNamesQuery as judgesAgents } from "../src/judges/queries.ts";
import { retentionDaysQuery, agentNamesQuery as tracesAgents } from "../src/traces/list-queries.ts";

const texts = import.meta.glob<string>("../src/**/*.ts", { query: "?raw", import: "default" });
const modules = import.meta.glob<object>("../src/**/*.ts");

let queries: QueryClient;

afterEach(() => queries?.clear());

/** An API that gives every GET this body. */
function answer(data: object): ProjectApi {
  const api: Partial<ProjectApi> = { projectId: "p1" };
  return Object.assign(api, { GET: async () => ({ data, response: new Response() }) }) as ProjectApi;
}

/** What a component gets of a query: the cached data in the query's own shape. */
async function readAs<Raw, Shape>(query: { queryKey: QueryKey; select?: (data: Raw) => Shape }): Promise<unknown> {
  const raw = (await queries.ensureQueryData(query as Parameters<QueryClient["ensureQueryData"]>[0])) as Raw;
  return query.select === undefined ? raw : query.select(raw);
}

test("the agents that Traces loaded serve the judges, and the other way round", async () => {
  const api = answer({ agents: [{ _id: "a1", name: "helper" }] });
  const choices = [{ value: "a1", label: "helper" }];
  const names = new Map([["a1", "helper"]]);
  queries = createQueries();
  expect(await readAs(tracesAgents(api))).toEqual(choices);
  expect(await readAs(judgesAgents(api))).toEqual(names);
  queries.clear();
  expect(await readAs(judgesAgents(api))).toEqual(names);
  expect(await readAs(tracesAgents(api))).toEqual(choices);
});

test("the retention that Settings loaded serves the empty list of traces, and the other way round", async () => {
  const settings = { retentionDays: null, effectiveRetentionDays: 30 };
  const api = answer(settings);
  queries = createQueries();
  expect(await readAs(retentionQuery(api))).toEqual(settings);
  expect(await readAs(retentionDaysQuery(api))).toBe(30);
  queries.clear();
  expect(await readAs(retentionDaysQuery(api))).toBe(30);
  expect(await readAs(retentionQuery(api))).toEqual(settings);
});

interface KnownQuery {
  queryKey: QueryKey;
  queryFn: unknown;
}

const isQuery = (value: unknown): value is KnownQuery =>
  typeof value === "object" && value !== null && "queryKey" in value && "queryFn" in value;

/** The queries of a module: its constants, and what its functions return for arguments without members. */
function queriesOf(module: object): KnownQuery[] {
  return Object.entries(module).flatMap(([name, made]: [string, unknown]) => {
    if (!/Quer(?:y|ies)$/.test(name)) return [];
    const result: unknown = typeof made === "function" ? made(answer({}), {}, {}, {}) : made;
    return isQuery(result) ? [result] : Object.values(result as object).filter(isQuery);
  });
}

test("no two queries keep different data under one key", async () => {
  const functions = new Map<string, Set<string>>();
  for (const [file, load] of Object.entries(modules)) {
    // Only modules with queries are loaded: some others start the application.
    if (!/queryOptions\(/i.test((await texts[file]?.()) ?? "")) continue;
    for (const { queryKey, queryFn } of queriesOf(await load())) {
      const key = hashKey(queryKey);
      functions.set(key, (functions.get(key) ?? new Set()).add(String(queryFn)));
    }
  }
  expect(functions.size).toBeGreaterThan(50);
  expect([...functions].flatMap(([key, read]) => (read.size > 1 ? [key] : []))).toEqual([]);
});
