import { routes, serviceNames } from "@touchstone/contracts";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BusTap, openBusTap } from "../src/isolation/bus-tap.ts";
import { findLeaks } from "../src/isolation/find-leaks.ts";
import { findStrayMessages, findStrayRows } from "../src/isolation/find-strays.ts";
import { type Layers, openLayers, scopeRemover } from "../src/isolation/layers.ts";
import { fill, repeatShared } from "../src/isolation/make-things.ts";
import { askMatrix, type MatrixReport } from "../src/isolation/matrix.ts";
import { answerWithCanaries } from "../src/isolation/repeating-judge.ts";
import { routeEntries } from "../src/isolation/route-entries.ts";
import { createRevokedKey, createTenant, findCanaries, type Tenant } from "../src/isolation/tenant.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";

/**
 * Two layers separate tenants: every statement names its project, and row-level security checks it. Each layer must
 * suffice alone, on every route, and then both do. With neither layer the same requests must find the leaks, or they prove
 * nothing.
 */
// More than the matrix needs, and few enough to use up.
const quota = 1_000;
const ciRate = 1_000;

let llm: ScriptedLlm;
let system: CombinedSystem;
let layers: Layers;
let bus: BusTap;
let tenants: readonly [Tenant, Tenant, Tenant];
let revokedKey: string;

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith(answerWithCanaries);
  system = await startCombined({
    settings: {
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-scripted",
      SERVICE_JUDGE_RETRIES: "0",
      SERVICE_LOG_LEVEL: "debug",
      SERVICE_QUOTA_TRACES_PER_DAY: String(quota),
      SERVICE_RATE_LIMIT: "on",
      SERVICE_TRUST_PROXY: "1",
      SERVICE_RATE_LIMIT_CREDENTIAL: "100000",
      SERVICE_RATE_LIMIT_DATA_PLANE: "100000",
      SERVICE_RATE_LIMIT_KEY_CI: String(ciRate),
    },
    nodeArguments: scopeRemover,
  });
  layers = await openLayers(system);
  bus = await openBusTap(system.nats.port);
  tenants = [
    await createTenant(system, "Own"),
    await createTenant(system, "Other"),
    await createTenant(system, "Third"),
  ];
  revokedKey = await createRevokedKey(system);
  // One after the other: each sends forty requests at once.
  for (const [number, tenant] of tenants.entries()) await fill(tenant, 2 * number + 1);
});

afterAll(async () => {
  bus?.close();
  await layers?.close();
  await system?.stop();
  await llm?.stop();
});

/** The gateway refuses strangers before either layer sees them: they ask once. So does the second tenant, whose requests are the first's. */
const ask = (askers: "everyone" | "one tenant" = "one tenant"): Promise<MatrixReport> =>
  askMatrix(system.url, {
    own: tenants[0],
    other: tenants[1],
    revokedKey: askers === "everyone" ? revokedKey : null,
  });
const detect = (): Promise<string[]> => findLeaks(tenants, { url: system.url, adminUrl: system.database.adminUrl });

test("every public route has an entry in the matrix, and every entry has a route", () => {
  expect(Object.keys(routeEntries).toSorted()).toEqual(Object.keys(routes).toSorted());
});

test("the same names and ids refer to each tenant's own objects: only its own duplicates are found", async () => {
  for (const tenant of tenants) {
    expect(await repeatShared(tenant), tenant.name).toEqual({
      trace: { deduped: true },
      otelSpans: [tenant.canary, tenant.canary],
      results: [false, true],
      promptVersion: 2,
      toolSchema: 409,
      model: 409,
    });
  }
});

test("a tenant that used up its quota and its rate limit did not affect another tenant's", async () => {
  const spender = await createTenant(system, "Spender");
  const lines = Array.from({ length: quota + 1 }, () => JSON.stringify({ name: "many" })).join("\n");
  const headers = { "content-type": "application/x-ndjson" };

  const imported = await spender.client.send("POST", "/import/traces", lines, headers);
  const refused = await spender.client.send("POST", "/ingest/traces", { name: "one more" });
  const statuses = new Set<number>();
  for (let sent = 0; sent <= ciRate; sent += 20) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => spender.client.send("POST", "/ingest/ci-runs", {})),
    );
    for (const { status } of answers) statuses.add(status);
  }

  expect([imported.status, refused.status]).toEqual([429, 429]);
  expect([...statuses]).toEqual([400, 429]);
  for (const { client } of tenants) {
    expect((await client.send("POST", "/ingest/traces", { name: "mine" })).status).toBe(201);
    expect((await client.send("POST", "/ingest/ci-runs", {})).status).toBe(400);
  }
});

describe.each([
  { of: "the scope of the code alone", isScopeNamed: true, isSecured: false, askers: "everyone", cellsMin: 2_000 },
  { of: "row-level security alone", isScopeNamed: false, isSecured: true, askers: "one tenant", cellsMin: 600 },
] as const)("under $of", ({ isScopeNamed, isSecured, askers, cellsMin }) => {
  beforeAll(async () => {
    // In this order one of the two layers is active at every moment: the services keep working meanwhile.
    await layers.setRowLevelSecurity(isSecured);
    await layers.setScope(isScopeNamed);
  });

  test("a foreign id gets the same answer as a missing one on every route, and changes nothing", async () => {
    const { cells, violations } = await ask(askers);

    expect(violations).toEqual([]);
    expect(cells).toBeGreaterThan(cellsMin);
  });

  test("nothing of another tenant is found by searching, filtering, following, counting or exporting", async () => {
    expect(await detect()).toEqual([]);
  });
});

test("no row, message, prompt or log contains another tenant's text, and no log a key", async () => {
  const prompts = llm.requests.map(({ body }) => JSON.stringify(body));
  expect(prompts.filter((text) => findCanaries(text).length > 1)).toEqual([]);
  expect(prompts.filter((text) => findCanaries(text).length === 1).length).toBeGreaterThan(50);

  expect(findStrayMessages(tenants, bus.messages())).toEqual([]);
  expect(bus.messages().filter((text) => findCanaries(text).length > 0).length).toBeGreaterThan(50);

  expect(await findStrayRows(tenants, system.database.adminUrl)).toEqual([]);

  const keys = [...tenants.map(({ apiKey }) => apiKey), revokedKey];
  const log = system.log();
  expect(serviceNames.filter((name) => !log.includes(`"service":"${name}"`))).toEqual([]);
  expect(findCanaries(log)).toEqual([]);
  expect(keys.filter((key) => log.includes(key))).toEqual([]);
});

test("with both layers removed, every place that could leak another tenant's data does", async () => {
  await layers.setScope(false);
  await layers.setRowLevelSecurity(false);

  const leaks = (await detect()).join("\n");
  const { violations, reachable, unreachable } = await ask();

  const leaking = new Set(violations.map(({ place }) => place));
  expect([...reachable].filter((place) => !leaking.has(place))).toEqual([]);
  expect([...unreachable].filter((place) => leaking.has(place))).toEqual([]);
  for (const found of ["finds", "totalCount", "turns", "retention", "list of traces shows", "export of"]) {
    expect(leaks).toContain(found);
  }
});
