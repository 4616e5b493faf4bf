import { connectBus } from "@touchstone/bus";
import {
  evalRunsDataDeleted,
  ingestActRecorded,
  ingestDataDeleted,
  judgeDataDeleted,
  keyRevoked,
  monitorActRecorded,
  monitorDataDeleted,
  projectDataOwners,
  projectDeleting,
  type projectReply,
  type RecordedAct,
  routes,
} from "@touchstone/contracts";
import { openDatabase, rolesOf } from "@touchstone/db";
import {
  createInternalClient,
  createLogger,
  createMetrics,
  type InternalClient,
  type Service,
  systemClock,
  uuidv7,
} from "@touchstone/service-kit";
import { createTestDatabase, startTestNats, type TestDatabase, type TestNats } from "@touchstone/testkit";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { z } from "zod";
import { createActFile } from "../src/audit/reported-act-store.ts";
import { createAuth, readAuthConfig } from "../src/index.ts";
import { createProjectDeletionStore } from "../src/projects/project-deletion-store.ts";

const rootSecret = "a root secret of the installation, long enough";
const logger = createLogger({ service: "auth", level: "silent" });
const notFound = { status: 404, body: { error: "Project not found" } };

let nats: TestNats;
let database: TestDatabase;
let auth: Service;
let client: InternalClient;
let admin: Client;
let defaultId: string;

type Project = z.infer<typeof projectReply>["project"];

beforeAll(async () => {
  [nats, database] = await Promise.all([startTestNats(), createTestDatabase()]);
  const { config } = readAuthConfig({
    PORT: "0",
    SERVICE_DB_URL: database.url,
    SERVICE_NATS_URL: nats.url,
    SERVICE_INTERNAL_SECRET: rootSecret,
  });
  auth = createAuth(config, { logger, clock: systemClock, metrics: createMetrics() });
  const { address } = await auth.start();
  client = createInternalClient({
    issuer: "gateway",
    audience: "auth",
    addresses: [address as string],
    rootSecret,
    clock: systemClock,
  });
  admin = new Client({ connectionString: database.adminUrl });
  await admin.connect();
  await vi.waitFor(async () => expect((await auth.readiness()).ready).toBe(true));
  const { rows } = await admin.query("select id from auth.projects where is_default");
  defaultId = rows[0].id;
});

beforeEach(async () => {
  await admin.query("update auth.projects set is_default = true, organization_id = null where id = $1", [defaultId]);
});

afterAll(async () => {
  await admin?.end();
  await client?.close();
  await auth?.stop();
  await nats?.stop();
  await database?.drop();
});

async function ask(method: string, path: string, projectId: string | null, body?: unknown) {
  const answer = await client.forward({
    method,
    path,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    claims: { projectId, organizationId: null, userId: null, role: null, requestId: "request-1" },
    deadlineMs: 5_000,
  });
  const text = Buffer.from(await answer.body.arrayBuffer()).toString();
  return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
}

const pathOf = (projectId: string): string => routes.deleteProject.path.replace("{projectId}", projectId);

async function create(name = "weather"): Promise<Project> {
  return (await ask("POST", routes.createProject.path, defaultId, { name })).body.project;
}

async function listIds(): Promise<string[]> {
  const { body } = await ask("GET", routes.listProjects.path, defaultId);
  return body.projects.map(({ _id }: Project) => _id);
}

async function countRows(projectId: string): Promise<number> {
  return (await admin.query("select from auth.projects where id = $1", [projectId])).rowCount ?? 0;
}

test("a project is renamed by its own key and by the default project's, and keeps its key", async () => {
  const project = await create();

  expect(await ask("PATCH", pathOf(project._id), project._id, { name: " one " })).toEqual({
    status: 200,
    body: { project: { ...project, name: "one" } },
  });
  expect(await ask("PATCH", pathOf(project._id), defaultId, { name: "two" })).toMatchObject({
    status: 200,
    body: { project: { name: "two", apiKey: project.apiKey } },
  });
});

test("a new name follows the rules of the first one", async () => {
  const project = await create();

  for (const name of ["", "  ", 7, undefined, "x".repeat(201), "a\0b"]) {
    expect(await ask("PATCH", pathOf(project._id), project._id, { name })).toMatchObject({ status: 400 });
  }
});

test("a missing project, a malformed id and another project's key are 404, and change nothing", async () => {
  const [project, other] = [await create(), await create("other")];
  const missing = "00000000-0000-7000-8000-000000000001";

  for (const [id, caller] of [
    [project._id, other._id],
    [defaultId, other._id],
    [missing, defaultId],
    [missing, missing],
    ["nonsense", defaultId],
    ["%00", defaultId],
  ] as const) {
    expect(await ask("DELETE", pathOf(id), caller)).toEqual(notFound);
    expect(await ask("PATCH", pathOf(id), caller, { name: "taken" })).toEqual(notFound);
  }
  expect(await listIds()).toEqual(expect.arrayContaining([defaultId, project._id, other._id]));
});

test("the log of a project without an organization is deleted with its row", async () => {
  const project = await create();
  await ask("DELETE", pathOf(project._id), project._id);
  const acts = async () => {
    const { rows } = await admin.query(
      "select action, actor_type from auth.audit_events where project_id = $1 order by id",
      [project._id],
    );
    return rows.map(({ action, actor_type }) => `${actor_type} ${action}`);
  };
  expect(await acts()).toEqual(["key project.created", "key project.deleted"]);

  const store = openStore();
  for (const service of projectDataOwners) await store.confirm(project._id, service);

  expect(await acts()).toEqual([]);
  await store.close();
});

test("the default project cannot be deleted, nor the only remaining one", async () => {
  expect(await ask("DELETE", pathOf(defaultId), defaultId)).toEqual({
    status: 400,
    body: { error: "The default project cannot be deleted" },
  });

  const project = await create();
  const organization = crypto.randomUUID();
  await admin.query("update auth.projects set organization_id = $2 where id = $1", [project._id, organization]);
  expect(await ask("DELETE", pathOf(project._id), project._id)).toEqual({
    status: 400,
    body: { error: "Cannot delete the only remaining project" },
  });
});

test("of the last two projects deleted at the same moment one stays", async () => {
  const organization = crypto.randomUUID();
  await admin.query("insert into auth.organizations (id, name, created_at) values ($1, 'a', now())", [organization]);
  const pair = await Promise.all([create("one"), create("two")]);
  const ids = pair.map(({ _id }) => _id);
  await admin.query("update auth.projects set organization_id = $2 where id = any($1)", [ids, organization]);

  const answers = await Promise.all(ids.map((id) => ask("DELETE", pathOf(id), id)));

  expect(answers.map(({ status }) => status).sort()).toEqual([204, 400]);
});

test("deleting a project stops its key and hides it at once, and notifies gateways and services", async () => {
  const gateway = connectBus({ url: nats.url, service: "gateway", logger });
  const ingest = connectBus({ url: nats.url, service: "ingest", logger });
  const [revoked, deleting]: string[][] = [[], []];
  await vi.waitFor(() => expect([gateway.status(), ingest.status()]).toEqual(["connected", "connected"]));
  await gateway.listen(keyRevoked, ({ projectId }) => revoked?.push(projectId));
  await ingest.consume(projectDeleting, { durable: "ingest-project-deleting" }, async ({ projectId }) => {
    deleting?.push(projectId);
  });
  const project = await create();

  expect(await ask("DELETE", pathOf(project._id), project._id)).toEqual({ status: 204, body: null });

  expect(await ask("POST", "/internal/keys/resolve", null, { apiKey: project.apiKey })).toMatchObject({
    body: { key: null },
  });
  expect(await listIds()).not.toContain(project._id);
  expect(await ask("DELETE", pathOf(project._id), defaultId)).toEqual(notFound);
  expect(await ask("PATCH", pathOf(project._id), defaultId, { name: "back" })).toEqual(notFound);
  expect(await ask("POST", `${pathOf(project._id)}/rotate-key`, project._id)).toEqual(notFound);
  await vi.waitFor(() => expect([revoked, deleting]).toEqual([[project._id], expect.arrayContaining([project._id])]));
  await gateway.drain();
  await ingest.drain();
});

test("the row goes with the last confirmation, whatever their order, and never before", async () => {
  const project = await create();
  await ask("DELETE", pathOf(project._id), project._id);
  const say = async (service: (typeof projectDataOwners)[number]): Promise<void> => {
    const contract = {
      ingest: ingestDataDeleted,
      "eval-runs": evalRunsDataDeleted,
      judge: judgeDataDeleted,
      monitor: monitorDataDeleted,
    }[service];
    const bus = connectBus({ url: nats.url, service, logger });
    await vi.waitFor(() => expect(bus.status()).toBe("connected"));
    // Twice: an event may be delivered again.
    for (const messageId of ["one", "two"]) {
      await bus.publish(contract, { projectId: project._id }, { messageId: `${service} ${messageId} ${project._id}` });
    }
    await bus.drain();
  };

  const [last, ...others] = projectDataOwners;
  for (const service of others) await say(service);
  await vi.waitFor(async () => {
    const { rowCount } = await admin.query("select from auth.data_deletions where project_id = $1", [project._id]);
    expect(rowCount).toBe(others.length);
  });
  expect(await countRows(project._id)).toBe(1);

  await say(last);

  await vi.waitFor(async () => expect(await countRows(project._id)).toBe(0));
  expect((await admin.query("select from auth.data_deletions where project_id = $1", [project._id])).rowCount).toBe(0);
});

test("a confirmation does not delete a project that was never deleted", async () => {
  const project = await create();
  const store = openStore();

  for (const service of projectDataOwners) expect(await store.confirm(project._id, service)).toBe(false);

  expect(await listIds()).toContain(project._id);
  await store.close();
});

test("an unfinished deletion is announced again, and a finished one is not", async () => {
  const project = await create();
  await ask("DELETE", pathOf(project._id), project._id);
  const store = openStore();
  expect(await store.announceUnfinished(60_000)).toBe(0);
  await admin.query("update auth.projects set announced_at = now() - interval '2 minutes' where id = $1", [
    project._id,
  ]);

  const counts = await Promise.all(Array.from({ length: 4 }, () => store.announceUnfinished(60_000)));

  expect(counts.reduce((sum, one) => sum + one)).toBe(1);
  for (const service of projectDataOwners) await store.confirm(project._id, service);
  expect(await countRows(project._id)).toBe(0);
  expect(await store.announceUnfinished(0)).toBe(await countUnfinished());
  await store.close();
});

test("an act in another service is logged once; for a deleted project it is logged in its organization, if it had one", async () => {
  const [project, gone, nobodys] = [await create(), await create(), await create()];
  const organizationId = uuidv7(Date.now());
  await admin.query("insert into auth.organizations (id, name, created_at) values ($1, 'Ada', now())", [
    organizationId,
  ]);
  await admin.query("update auth.projects set organization_id = $1 where id = any($2)", [
    organizationId,
    [project._id, gone._id],
  ]);
  await admin.query("delete from auth.projects where id = any($1)", [[gone._id, nobodys._id]]);
  const act = (projectId: string, more: Partial<RecordedAct> = {}): RecordedAct => ({
    ...{ id: uuidv7(Date.now()), projectId, organizationId: null, actor: { type: "key", id: projectId } },
    ...{ action: "webhook.deleted", targetId: "w", details: { host: "a.example" } },
    ...{ requestId: "request-7", at: "2026-01-02T03:04:05.678Z" },
    ...more,
  });
  const acts = {
    own: act(project._id),
    late: act(gone._id, { organizationId }),
    lost: act(nobodys._id),
    last: act(project._id, { action: "retention.changed" }),
  };
  const monitor = connectBus({ url: nats.url, service: "monitor", logger });
  const ingest = connectBus({ url: nats.url, service: "ingest", logger });
  await vi.waitFor(() => expect([monitor.status(), ingest.status()]).toEqual(["connected", "connected"]));
  for (const [messageId, told] of Object.entries({ ...acts, again: acts.own, more: acts.late, end: acts.last })) {
    await monitor.publish(monitorActRecorded, told, { messageId });
  }
  await ingest.publish(ingestActRecorded, acts.own, { messageId: "ingest" });

  const columns =
    "id, organization_id, project_id, actor_type, actor_id, action, target_id, details, request_id, created_at";
  const read = async () =>
    (
      await admin.query(`select ${columns} from auth.audit_events where id = any($1) order by id`, [
        Object.values(acts).map(({ id }) => id),
      ])
    ).rows;
  await vi.waitFor(async () => expect(await read()).toHaveLength(3));
  await monitor.drain();
  await ingest.drain();
  const { rows } = await admin.query("select from auth.audit_events where project_id = $1", [nobodys._id]);
  expect(rows).toHaveLength(1);
  expect(await read()).toEqual([
    {
      ...{ id: acts.own.id, organization_id: organizationId, project_id: project._id },
      ...{ actor_type: "key", actor_id: project._id, action: "webhook.deleted", target_id: "w" },
      ...{ details: { host: "a.example" }, request_id: "request-7", created_at: new Date(acts.own.at) },
    },
    expect.objectContaining({ id: acts.late.id, organization_id: organizationId, project_id: gone._id }),
    expect.objectContaining({ id: acts.last.id, organization_id: organizationId, action: "retention.changed" }),
  ]);

  // A repetition is accepted like the first: if it were refused, it would be redelivered and given up in the end.
  const store = openStore();
  await expect(Promise.all([store.file(acts.own), store.file(acts.late)])).resolves.toHaveLength(2);
  await store.close();
});

test("an act in a project whose organization was deleted is dropped, also while it is being deleted", async () => {
  const project = await create();
  const organizationId = uuidv7(Date.now());
  await admin.query("insert into auth.organizations (id, name, created_at) values ($1, 'a', now())", [organizationId]);
  await admin.query("update auth.projects set organization_id = $1 where id = $2", [organizationId, project._id]);
  const act = (): RecordedAct => ({
    ...{ id: uuidv7(Date.now()), projectId: project._id, organizationId, actor: { type: "key", id: project._id } },
    ...{ action: "webhook.deleted", targetId: "w", details: {}, requestId: "request-7", at: new Date().toISOString() },
  });
  const [during, after] = [act(), act()];
  const store = openStore();
  await admin.query("begin");
  await admin.query("delete from auth.organizations where id = $1", [organizationId]);
  const filing = store.file(during);
  await vi.waitFor(async () => {
    const text = "select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))";
    expect((await admin.query(text)).rowCount).toBe(1);
  });
  await admin.query("commit");

  await expect(filing).resolves.toBeUndefined();
  await expect(store.file(after)).resolves.toBeUndefined();
  const { rows } = await admin.query("select from auth.audit_events where id = any($1)", [[during.id, after.id]]);
  expect(rows).toEqual([]);
  await store.close();
});

async function countUnfinished(): Promise<number> {
  return (await admin.query("select from auth.projects where deleting_since is not null")).rowCount ?? 0;
}

function openStore() {
  const open = (role: string) =>
    openDatabase({
      url: database.url,
      role,
      applicationName: "test",
      connectionsMax: 4,
      statementTimeoutMs: 5_000,
      logger,
    });
  const pools = [open(rolesOf("auth").app), open(rolesOf("auth").maintenance)] as const;
  return {
    ...createProjectDeletionStore(...pools),
    ...createActFile(pools[0]),
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}
