import { connectBus } from "@touchstone/bus";
import { membershipChanged, routes } from "@touchstone/contracts";
import { createLogger } from "@touchstone/service-kit";
import { startTestNats, type TestNats } from "@touchstone/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { projectId, startTestGateway, type TestGateway } from "./test-gateway.ts";

const userId = "00000000-0000-7000-8000-000000000009";
const organizationId = "00000000-0000-7000-8000-000000000008";

let nats: TestNats;
let gateway: TestGateway;
let isMember = true;
let role = "admin";
let asked = 0;
/** Once it is set, the gateway's clock does not move: no entry expires by age. */
let stoppedAt: number | null = null;

beforeAll(async () => {
  nats = await startTestNats();
  gateway = await startTestGateway({
    settings: { SERVICE_NATS_URL: nats.url, SERVICE_AUTH: "enabled" },
    clock: { now: () => stoppedAt ?? Date.now() },
    behind: {
      resolveSession: async () => {
        asked += 1;
        const memberships = isMember ? [{ organizationId, role }] : [];
        const projects = isMember ? [{ projectId, organizationId }] : [];
        return { status: 200, body: { session: { userId, memberships, projects } } };
      },
    },
  });
});

afterAll(async () => {
  await gateway?.stop();
  await nats?.stop();
});

/** Each test names another session: nothing is cached for it. */
async function ask(session: string, method: string, path: string, headers: Record<string, string> = {}) {
  const cookie = `touchstone.session_token=${session}`;
  const answer = await fetch(gateway.url + path, { method, headers: { cookie, origin: gateway.url, ...headers } });
  return answer.status;
}

test("a gateway that is notified of a lost membership no longer admits the session", async () => {
  const read = () => ask("notified", "GET", routes.listTraces.path);
  stoppedAt = Date.now();
  expect(await read()).toBe(200);
  isMember = false;
  expect([await read(), asked]).toEqual([200, 1]);

  const logger = createLogger({ service: "auth", level: "silent" });
  const bus = connectBus({ url: nats.url, user: undefined, password: undefined, service: "auth", logger });
  try {
    // It may not have subscribed yet; missed events are not kept for it.
    let told = 0;
    await vi.waitFor(async () => {
      told += 1;
      await bus.publish(membershipChanged, { userIds: [userId] }, { messageId: `told ${told}` });
      expect(await read()).toBe(404);
    });
  } finally {
    await bus.drain();
  }
});

test("routes that show or replace keys do not accept a lost membership from the cache", async () => {
  const asMember = (route: { method: string; path: string }) =>
    ask("keys", route.method, route.path, { "x-project-id": projectId });
  stoppedAt = Date.now();
  isMember = true;
  expect(await asMember(routes.listRuns)).toBe(200);
  isMember = false;
  // The cache still knows the membership.
  expect(await asMember(routes.listRuns)).toBe(200);

  expect([await asMember(routes.readSettings), await asMember(routes.regenerateApiKey)]).toEqual([404, 404]);
});

test("a session that gets its first project may read it with the next request, without an event", async () => {
  const read = () => ask("first project", "GET", routes.listTraces.path);
  stoppedAt = Date.now();
  isMember = false;
  expect(await read()).toBe(404);
  isMember = true;

  expect(await read()).toBe(200);
});

test("a session that gets a higher role may use it with the next request, without an event", async () => {
  const trace = routes.deleteTrace.path.replace("{traceId}", projectId);
  const remove = () => ask("promoted", "DELETE", trace, { "x-project-id": projectId });
  stoppedAt = Date.now();
  role = "member";
  expect(await remove()).toBe(403);
  role = "admin";

  expect(await remove()).toBe(200);
});

test("a gateway that answers a change of an account no longer knows what its session could do", async () => {
  const read = () => ask("left", "GET", routes.listTraces.path);
  stoppedAt = Date.now();
  expect(await read()).toBe(200);
  expect(await ask("left", "DELETE", routes.deleteAccount.path)).toBe(200);
  isMember = false;

  expect(await read()).toBe(404);
  isMember = true;
});
