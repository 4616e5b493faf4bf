import { type Route, routes } from "@touchstone/contracts";
import { type ScriptedLlm, startScriptedLlm } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Browser, signUp } from "../src/browser.ts";
import { createClient } from "../src/client.ts";
import { answerWithCanaries } from "../src/isolation/repeating-judge.ts";
import { routeEntries } from "../src/isolation/route-entries.ts";
import type { Ids, RouteEntry } from "../src/isolation/route-entry.ts";
import type { Tenant } from "../src/isolation/tenant.ts";
import { type CombinedSystem, startCombined } from "../src/start-combined.ts";
import { waitUntil } from "../src/wait-until.ts";

/** The changes that a session may make in the dashboard, in the project of `x-project-id`. */
let llm: ScriptedLlm;
let system: CombinedSystem;
let owner: Browser & { email: string };
let admin: Browser & { email: string };
let member: Browser & { email: string };
/** Signed in, but without an organization. */
let stranger: Browser;
let tenant: Tenant;

const missingId = "00000000-0000-7000-8000-00000000dead";

beforeAll(async () => {
  llm = await startScriptedLlm();
  llm.answerWith(answerWithCanaries);
  system = await startCombined({
    settings: {
      SERVICE_AUTH: "enabled",
      SERVICE_RATE_LIMIT: "off",
      OPENAI_BASE_URL: llm.baseUrl,
      OPENAI_API_KEY: "sk-scripted",
      SERVICE_JUDGE_RETRIES: "0",
    },
  });
  owner = await signUp(system.url, "Ada");
  admin = await signUp(system.url, "Lin");
  member = await signUp(system.url, "Mia");
  stranger = await signUp(system.url, "Eve");
  const { body } = await owner.send("GET", "/auth-org/organizations");
  const [organization] = body.organizations as { _id: string }[];
  for (const [who, role] of [[admin, "admin"] as const, [member, "member"] as const]) {
    const invitations = `/auth-org/organizations/${organization?._id}/invitations`;
    const invited = await owner.send("POST", invitations, { body: { email: who.email, role } });
    const token = (invited.body.invitation as { _id: string })._id;
    expect((await who.send("POST", `/auth-org/invitations/${token}/accept`)).status).toBe(200);
  }
  tenant = await createTenant("Shop");
});

afterAll(async () => {
  await system?.stop();
  await llm?.stop();
});

async function createTenant(name: string): Promise<Tenant> {
  const { status, body } = await owner.send("POST", "/projects", { body: { name } });
  expect(status).toBe(201);
  const { _id: projectId, apiKey } = body.project as { _id: string; apiKey: string };
  const canary = "canary00112233445566aa";
  return { name, projectId, apiKey, canary, retentionDays: 30, client: createClient({ url: system.url, apiKey }) };
}

const changes = Object.values<Route>(routes).filter(({ sessionRole }) => sessionRole !== undefined);

/** The first request that the isolation matrix has for the route. */
function entryOf(routeId: string): RouteEntry {
  const [entry] = [routeEntries[routeId] ?? []].flat();
  if (entry === undefined) throw new Error(`${routeId} has no line in the matrix of isolation`);
  return entry;
}

/** Calls a route under a session, with newly created objects. */
async function ask(
  who: Browser,
  route: Route,
  { in: projectId, origin = system.url }: { in: string; origin?: string },
) {
  const entry = entryOf(route.id);
  const owned = entry.spendsKey ? await createTenant("Spent") : tenant;
  const ids: Ids = (await entry.ids?.(owned)) ?? {};
  const { params = {}, body, query = {}, headers } = entry.request?.(ids, owned, 1) ?? {};
  const path = route.path
    .replace("/api/v1", "")
    .replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(ids[name] ?? params[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return who.send(route.method, search === "" ? path : `${path}?${search}`, {
    body,
    headers: { ...headers, origin, "x-project-id": projectId === tenant.projectId ? owned.projectId : projectId },
  });
}

test.each(changes.map((route) => [route.id, route] as const))(
  "%s under a session: each member, or only owners and admins, and no one outside the project",
  async (_id, route) => {
    const here = { in: tenant.projectId };
    const { own } = entryOf(route.id);
    const foreign = await ask(stranger, route, here);
    const missing = await ask(owner, route, { in: missingId });

    expect([foreign.status, foreign.body]).toEqual([404, { error: "Project not found" }]);
    expect([missing.status, missing.body]).toEqual([foreign.status, foreign.body]);
    expect((await ask(member, route, here)).status).toBe(route.sessionRole === "admin" ? 403 : own);
    expect((await ask(admin, route, here)).status).toBe(own);
    expect((await ask(owner, route, here)).status).toBe(own);
    const evil = await ask(owner, route, { ...here, origin: "https://evil.example" });
    expect([evil.status, evil.body.code]).toEqual([403, "INVALID_ORIGIN"]);
  },
);

test("without a named project, a session changes nothing", async () => {
  const answer = await member.send("POST", "/monitor/patterns", { body: { name: "x", includeTerms: ["x"] } });

  expect([answer.status, answer.body]).toEqual([401, { error: "Invalid or missing API key" }]);
});

test("routes that receive data accept keys only: no session sends a trace, a result or a pipeline's run", async () => {
  const headers = { "x-project-id": tenant.projectId };
  for (const path of [
    "/ingest/traces",
    `/ingest/traces/${missingId}/evaluate`,
    "/ingest/ci-runs",
    "/otel/v1/traces",
    "/import/traces",
    "/agents",
    "/outcomes",
    "/custom-agent-evaluations/runs",
    `/custom-agent-evaluations/runs/${missingId}/results`,
  ]) {
    expect((await owner.send("POST", path, { headers, body: {} })).status, path).toBe(401);
  }
});

test("the log names the user behind each change", async () => {
  const headers = { "x-project-id": (await createTenant("Logged")).projectId };
  const change = async (who: Browser, method: string, path: string, body?: unknown) => {
    const answer = await who.send(method, path, { headers, body });
    expect(answer.status, path).toBeLessThan(300);
    return answer.body;
  };
  const created = await change(member, "POST", "/custom-agent-evaluations/datasets", {
    name: "Weather",
    questions: [{ main_question: { query: "How is it?" } }],
  });
  await change(member, "DELETE", `/custom-agent-evaluations/datasets/${created._id}`);
  await change(member, "POST", "/monitor/patterns", { name: "Refund", includeTerms: ["refund"] });
  await change(admin, "PUT", "/agent-monitoring/settings/retention", { retentionDays: 9 });
  await change(admin, "PUT", "/agent-monitoring/settings/platform-model", { model: "gpt-5" });

  const { body } = await owner.send("GET", "/auth-org/organizations");
  const [organization] = body.organizations as { _id: string }[];
  const readLog = async (): Promise<string[]> => {
    const log = await owner.send("GET", `/auth-org/organizations/${organization?._id}/audit`);
    return (log.body.events as { action: string; projectId: string; actor: { email: string } }[])
      .filter(({ projectId, action }) => projectId === headers["x-project-id"] && action !== "project.created")
      .map(({ action, actor }) => `${actor.email} ${action}`)
      .toSorted();
  };
  await waitUntil("the log has all of them", async () => (await readLog()).length === 4);
  expect(await readLog()).toEqual([
    `${admin.email} project.platform-model-set`,
    `${admin.email} retention.changed`,
    `${member.email} dataset.deleted`,
    `${member.email} pattern.created`,
  ]);
});
