import { routes, spentQuotaHeader, traceQuotaMessage } from "@touchstone/contracts";
import { AppError, completeProjectKey, type Handler } from "@touchstone/service-kit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { head, sendRaw, startTestGateway, strangeKey, type TestGateway } from "./test-gateway.ts";

/** Keys of projects in different states, so that each check can be met by itself. */
const keys = {
  rateSpent: completeProjectKey("rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr"),
  quotaSpent: completeProjectKey("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"),
  good: completeProjectKey("gggggggggggggggggggggggggggggggg"),
};
const projects = Object.fromEntries(
  Object.values(keys).map((key, index) => [key, `00000000-0000-7000-8000-00000000000${index + 1}`]),
);

const resolveKey: Handler = async (call) => {
  const projectId = projects[((await call.json()) as { apiKey: string }).apiKey];
  return { status: 200, body: { key: projectId === undefined ? null : { projectId, organizationId: null } } };
};

/** Refuses the project whose quota is spent, as ingest does. */
const submitTrace: Handler = async (call) => {
  if (call.identity.projectId !== projects[keys.quotaSpent]) return { status: 201, body: {} };
  throw new AppError("trace_quota_spent", traceQuotaMessage(1), {
    internalHeaders: { [spentQuotaHeader]: "1;3600000" },
  });
};

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    behind: { resolveKey, submitTrace },
    settings: {
      SERVICE_TRUST_PROXY: "true",
      SERVICE_RATE_LIMIT_DATA_PLANE: "20",
      SERVICE_RATE_LIMIT_KEY_INGEST: "5",
    },
  });
});
afterAll(() => gateway.stop());

const { path } = routes.submitTrace;
const spentAddress = "192.0.2.1";
const freshAddress = "192.0.2.2";

/** A request in which everything is wrong that the changes leave wrong. */
async function send(changes: { method?: string; path?: string; headers?: Record<string, string> } = {}) {
  const headers = {
    host: "evil.example",
    "x-forwarded-for": spentAddress,
    "x-api-key": strangeKey,
    "content-length": String(11 * 1024 * 1024),
    "content-type": "bogus;;;",
    ...changes.headers,
  };
  const answer = await sendRaw(gateway.url, head(changes.method ?? "POST", changes.path ?? path, headers));
  const [, body = ""] = answer.split("\r\n\r\n");
  const policy = /^ratelimit-policy: (.*)\r$/m.exec(answer)?.[1] ?? null;
  return { status: Number(answer.slice(9, 12)), policy, body };
}

/** A valid request, except for the limits it exhausts. */
const use = (apiKey: string, address: string) =>
  sendRaw(
    gateway.url,
    `${head("POST", path, { "x-api-key": apiKey, "x-forwarded-for": address, "content-type": "application/json", "content-length": "2" })}{}`,
  );

test("a request that fails several checks is refused by the first of them in the documented order", async () => {
  // Twenty of the address, five of the key; and the quota is known to be spent for 5 s from the second answer on.
  await Promise.all(Array.from({ length: 20 }, () => use(strangeKey, spentAddress)));
  for (let request = 0; request < 5; request += 1) await use(keys.rateSpent, "192.0.2.3");
  const wrong = { host: "localhost" };
  const fresh = { ...wrong, "x-forwarded-for": freshAddress };
  const good = { ...fresh, "x-api-key": keys.good };

  const byHost = await send();
  const noAddress = await send({ path: "/nothing", headers: wrong });
  const noMethod = await send({ method: "PATCH", headers: wrong });
  const byAddress = await send({ headers: wrong });
  const byKey = await send({ headers: fresh });
  const byKeyLimit = await send({ headers: { ...fresh, "x-api-key": keys.rateSpent } });
  const tooLarge = await send({ headers: good });
  const badType = await send({ headers: { ...good, "content-length": "2" } });

  expect([byHost.status, noAddress.status, noMethod.status]).toEqual([403, 404, 405]);
  expect(byAddress).toMatchObject({ status: 429, policy: "20;w=60" });
  expect(byKey).toMatchObject({ status: 401, body: '{"error":"Invalid or missing API key"}' });
  expect(byKeyLimit).toMatchObject({ status: 429, policy: "5;w=60" });
  expect([tooLarge.status, badType.status]).toEqual([413, 415]);
});

test("a spent quota is refused after the key's limit and before the body is looked at", async () => {
  await use(keys.quotaSpent, "192.0.2.4");
  const spent = { host: "localhost", "x-forwarded-for": "192.0.2.4", "x-api-key": keys.quotaSpent };

  const byQuota = await send({ headers: spent });
  expect(byQuota).toMatchObject({ status: 429, body: JSON.stringify({ error: traceQuotaMessage(1) }) });
  for (let request = 0; request < 3; request += 1) await use(keys.quotaSpent, "192.0.2.4");
  expect(await send({ headers: spent })).toMatchObject({
    status: 429,
    body: '{"statusCode":429,"message":"Too many requests"}',
  });
});
