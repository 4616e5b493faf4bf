import { openProjectRows } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, signUp } from "../../integration/src/browser.ts";
import { createClient } from "../../integration/src/client.ts";
import { waitUntil } from "../../integration/src/wait-until.ts";
import { type Installation, startInstallation } from "../src/installation.ts";

/** Fault row 53. Each account has an organization. */
let system: Installation;
let url: string;

const schemas = ["ingest", "evals", "judge", "monitor"];

beforeAll(async () => {
  system = await startInstallation({
    evalRuns: 1,
    judges: 1,
    settings: { SERVICE_AUTH: "enabled", SERVICE_MULTI_TENANT: "true" },
  });
  [url] = system.urls as [string];
});

afterAll(async () => {
  await system?.stop();
});

interface Project {
  _id: string;
  apiKey: string;
}

async function projectsOf(owner: Browser): Promise<Project[]> {
  return (await owner.send("GET", "/projects")).body.projects as Project[];
}

/** Rows of projects or of the organization itself, in the schemas of all services, by schema and table. */
async function countEverywhere(ids: readonly string[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const schema of schemas) {
    const rows = await openProjectRows(await system.postgres.connect(), schema);
    try {
      for (const id of ids) {
        for (const [table, count] of Object.entries(await rows.count(id))) counts[`${schema}.${table}`] = count;
      }
    } finally {
      await rows.close();
    }
  }
  return counts;
}

/** Sends traces one after the other until the key is refused; returns how many were stored. */
async function writeUntilRefused({ apiKey }: Project): Promise<number> {
  const client = createClient({ url, apiKey });
  for (let stored = 0; ; ) {
    const { status } = await client.send("POST", "/ingest/traces", { name: `trace ${stored}`, input: "question" });
    if (status === 401) return stored;
    // While auth is unavailable, a gateway accepts the keys it knows and cannot check any other.
    if (![201, 503].includes(status)) throw new Error(`A trace was answered ${status}.`);
    if (status === 201) stored += 1;
  }
}

test("an organization that is deleted while its projects are written to, with auth killed halfway, is deleted everywhere; accounts and others are not", async () => {
  const [owner, other] = await Promise.all([signUp(url, "Ada"), signUp(url, "Eve")]);
  await owner.send("POST", "/projects", { body: { name: "second" } });
  const { body } = await owner.send("GET", "/auth-org/organizations");
  const [organization] = body.organizations as [{ _id: string; name: string }];
  const projects = await projectsOf(owner);
  const [unharmed] = (await projectsOf(other)) as [Project];
  const untouched = createClient({ url, apiKey: unharmed.apiKey });
  expect((await untouched.send("POST", "/ingest/traces", { name: "kept", input: "question" })).status).toBe(201);
  // A row that the judge stores for the organization after a provider call.
  await system.postgres.query(
    "insert into judge.verdicts (owner_id, address, rating, justification) values ($1, sha256('x'), 5, 'fine')",
    [organization._id],
  );
  const ids = [...projects.map(({ _id }) => _id), organization._id];
  const writing = projects.map(writeUntilRefused);
  await waitUntil("every project has traces", async () => {
    const { rows } = await system.postgres.query(
      "select distinct project_id from ingest.spans where project_id = any($1)",
      [ids],
    );
    return rows.length === projects.length;
  });

  const deletion = await owner.send("DELETE", `/auth-org/organizations/${organization._id}`, {
    body: { confirmName: organization.name },
  });
  await system.auth.kill();
  expect(deletion).toMatchObject({ status: 200, body: { ok: true, projectsDeleted: projects.length } });
  await system.auth.start();

  for (const stored of await Promise.all(writing)) expect(stored).toBeGreaterThan(0);
  await waitUntil(
    "every service has confirmed and the rows of auth are gone",
    async () => (await system.postgres.query("select from auth.projects where id = any($1)", [ids])).rows.length === 0,
    { timeoutMs: 90_000 },
  );
  expect(await countEverywhere(ids)).toEqual({});
  expect(
    (await system.postgres.query("select from auth.organizations where id = $1", [organization._id])).rowCount,
  ).toBe(0);

  expect((await owner.send("GET", "/auth-org/organizations")).body).toEqual({ organizations: [] });
  expect((await owner.send("GET", `/ingest/traces?projectId=${projects[0]?._id}`)).status).toBe(404);
  const kept = await untouched.send("GET", "/ingest/traces");
  expect((kept.body as { traces: { name: string }[] }).traces.map(({ name }) => name)).toEqual(["kept"]);
});
