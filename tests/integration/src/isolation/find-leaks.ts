import { randomUUID } from "node:crypto";
import { exportIndex, retention, sessionList, traceList, usage } from "@touchstone/contracts";
import { Client } from "pg";
import { waitUntil } from "../wait-until.ts";
import { traceBody } from "./bodies.ts";
import { send } from "./make-things.ts";
import { strangersIn, type Tenant } from "./tenant.ts";

/**
 * Everything that one tenant can find of another, a sentence each: by searching, filtering, following, counting and
 * adding up.
 */
export async function findLeaks(
  tenants: readonly Tenant[],
  { url, adminUrl }: { url: string; adminUrl: string },
): Promise<string[]> {
  const database = new Client({ connectionString: adminUrl });
  await database.connect();
  try {
    const found: string[] = [];
    for (const tenant of tenants) {
      const others = tenants.filter((one) => one !== tenant);
      for (const check of [findBySearching, findInTotals, findInExports]) {
        found.push(...(await check(tenant, { others, database, url })).map((leak) => `${tenant.name}: ${leak}`));
      }
    }
    return [...found, ...(await findInStreams(tenants, url))];
  } finally {
    await database.end();
  }
}

type Check = (
  tenant: Tenant,
  around: { others: readonly Tenant[]; database: Client; url: string },
) => Promise<string[]>;

const count = async (database: Client, text: string, projectId: string): Promise<number> =>
  Number((await database.query<{ n: string }>(text, [projectId])).rows[0]?.n);

const list = async ({ client }: Tenant, query: Record<string, string>) =>
  client.expect({ status: 200, schema: traceList }, "GET", `/ingest/traces?${new URLSearchParams(query)}`);

/** Another tenant's words, models and frameworks find nothing; the tenant's own find its own rows. */
const findBySearching: Check = async (tenant, { others }) => {
  const leaks: string[] = [];
  for (const { canary } of others) {
    for (const query of [
      { search: canary },
      { search: canary.toUpperCase() },
      { search: canary, source: "production" },
      { model: `${canary}-model` },
      { framework: `${canary} framework` },
    ]) {
      const { totalCount, traces } = await list(tenant, query as Record<string, string>);
      if (totalCount > 0 || traces.length > 0) leaks.push(`${JSON.stringify(query)} finds ${totalCount} traces`);
    }
  }
  const mine = await list(tenant, { search: tenant.canary });
  if (mine.totalCount === 0) leaks.push("one's own canary finds nothing");
  return [...leaks, ...strangersIn(tenant, JSON.stringify(mine)).map((canary) => `a search shows ${canary}`)];
};

/**
 * Totals, pages, sessions and the day's usage cover the tenant's own rows, as the database counts them before and after: a span
 * whose parent did not arrive for a minute becomes a root meanwhile.
 */
const findInTotals: Check = async (tenant, { database }) => {
  const leaks: string[] = [];
  const countRoots = () =>
    count(database, "select count(*) as n from ingest.spans where project_id = $1 and is_root", tenant.projectId);
  const countTurns = () =>
    count(
      database,
      `select count(*) as n
       from ingest.spans
       left join ingest.traces using (project_id, trace_key)
       where spans.project_id = $1 and is_root and coalesce(spans.session_id, traces.session_id) = 'shared-session'`,
      tenant.projectId,
    );
  const before = { roots: await countRoots(), turns: await countTurns() };
  const totals: number[] = [];
  const ids = new Set<string>();
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list(tenant, { limit: "100", ...(cursor !== undefined && { cursor }) });
    totals.push(page.totalCount);
    for (const { _id } of page.traces) ids.add(_id);
    leaks.push(...strangersIn(tenant, JSON.stringify(page)).map((canary) => `the list of traces shows ${canary}`));
    cursor = page.nextCursor;
  }

  const { sessions } = await tenant.client.expect(
    { status: 200, schema: sessionList },
    "GET",
    "/agent-monitoring/sessions?window=30d",
  );
  const turns = sessions.find(({ sessionId }) => sessionId === "shared-session")?.turnCount ?? 0;
  const after = { roots: await countRoots(), turns: await countTurns() };
  for (const [what, shown, of] of [
    ...totals.map((total) => ["totalCount is", total, "roots"] as const),
    ["the number of traces on the pages is", ids.size, "roots"],
    ["the number of turns of the shared session is", turns, "turns"],
  ] as const) {
    if (shown >= before[of] && shown <= after[of]) continue;
    leaks.push(`${what} ${shown}, of ${before[of]} to ${after[of]} ${of}`);
  }

  const { traces } = await tenant.client.expect({ status: 200, schema: usage }, "GET", "/agent-monitoring/usage");
  const used = await count(
    database,
    "select coalesce(sum(n), 0) as n from ingest.trace_usage where project_id = $1 and day = (now() at time zone 'utc')::date",
    tenant.projectId,
  );
  if (traces.used !== used) leaks.push(`the day's use is ${traces.used}, of ${used}`);

  const { retentionDays } = await tenant.client.expect(
    { status: 200, schema: retention },
    "GET",
    "/agent-monitoring/settings/retention",
  );
  if (retentionDays !== tenant.retentionDays) leaks.push("the retention is another project's");
  return leaks;
};

/**
 * Every export has as many lines as its index says, and no other tenant's text. Live checks may still add some
 * meanwhile.
 */
const findInExports: Check = async (tenant, { url }) => {
  const leaks: string[] = [];
  const readIndex = () => tenant.client.expect({ status: 200, schema: exportIndex }, "GET", "/export");
  const before = await readIndex();
  const linesOf = new Map<string, number>();
  for (const { entity, path } of before.entities) {
    const response = await fetch(`${url}${path}`, { headers: { "x-api-key": tenant.apiKey } });
    const text = await response.text();
    linesOf.set(entity, text.split("\n").filter((line) => line !== "").length);
    leaks.push(...strangersIn(tenant, text).map((canary) => `the export of ${entity} shows ${canary}`));
  }
  const rowsAfter = new Map((await readIndex()).entities.map(({ entity, rows }) => [entity, rows]));
  for (const { entity, rows } of before.entities) {
    const [lines, most] = [linesOf.get(entity) ?? 0, rowsAfter.get(entity) ?? 0];
    if (lines < rows || lines > most) leaks.push(`the export of ${entity} has ${lines} lines, of ${rows} to ${most}`);
  }
  return leaks;
};

/** Each follows its own traces while all tenants send one. */
async function findInStreams(tenants: readonly Tenant[], url: string): Promise<string[]> {
  const readers = await Promise.all(
    tenants.map(async (tenant) => {
      const response = await fetch(`${url}/api/v1/ingest/traces/stream`, { headers: { "x-api-key": tenant.apiKey } });
      const reader = { tenant, response, text: "" };
      const reading = (async () => {
        for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
          reader.text += Buffer.from(chunk).toString();
        }
      })().catch(() => undefined);
      return { ...reader, shown: () => reader.text, reading };
    }),
  );
  const mark = randomUUID();
  const sendMarked = (tenant: Tenant, number: number) =>
    send(tenant, "POST", "/ingest/traces", traceBody(tenant, { name: `${tenant.canary} ${mark} ${number}` }));
  await Promise.all(tenants.map((tenant) => sendMarked(tenant, 0)));
  // The second trace is announced after all the first ones: a tenant that sees its second has received everything
  // before.
  await Promise.all(tenants.map((tenant) => sendMarked(tenant, 1)));
  const leaks: string[] = [];
  for (const { tenant, shown } of readers) {
    await waitUntil(`${tenant.name} receives its trace`, async () => shown().includes(`${tenant.canary} ${mark} 1`));
    leaks.push(...strangersIn(tenant, shown()).map((canary) => `${tenant.name}: the live tail shows ${canary}`));
  }
  return leaks;
}
