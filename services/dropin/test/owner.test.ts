import { Readable } from "node:stream";
import { formatIngestOutcome, ingestOutcomeHeader, routes, spentQuotaHeader } from "@touchstone/contracts";
import { AppError, type Call, type HopAnswer } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { scoreRoutes } from "../src/langfuse/score-routes.ts";
import { askPatiently } from "../src/langfuse/store-in-parts.ts";
import { createOwner, type Owner } from "../src/owner.ts";

const identity = { projectId: "p", organizationId: null, userId: null, role: null, requestId: "r" };

function callOf(body: unknown): Call {
  const rawBody = Buffer.from(JSON.stringify(body));
  const headers = { "content-type": "application/json" };
  const { signal } = new AbortController();
  return { identity, signal, headers, rawBody, body: async () => rawBody } as Partial<Call> as Call;
}

/** An owner that answers 429 with these headers, and counts how often it was asked. */
function ownerRefusing(headers: Record<string, string>) {
  const asked = { count: 0 };
  const owner = createOwner({
    async forward() {
      asked.count += 1;
      const body = Object.assign(Readable.from([]), {
        arrayBuffer: async () => new TextEncoder().encode('{"error":"Refused."}').buffer,
      });
      return { status: 429, headers, body } as Partial<HopAnswer> as HopAnswer;
    },
  });
  return { owner, asked };
}

test("a spent quota is refused at once, as what it is, with what the gateway counts", async () => {
  const internalHeaders = {
    [ingestOutcomeHeader]: formatIngestOutcome({ outcome: "trace_quota_spent", count: 1, example: "Refused." }),
    [spentQuotaHeader]: "1;3600000",
  };
  const { owner, asked } = ownerRefusing(internalHeaders);
  await expect(askPatiently(owner, routes.submitSpanUpdates, callOf({}), "{}")).rejects.toMatchObject({
    code: "trace_quota_spent",
    message: "Refused.",
    internalHeaders,
  });
  expect(asked.count).toBe(1);
});

test("a full queue is asked again, and is refused as a full queue", async () => {
  const outcome = formatIngestOutcome({ outcome: "queue_full", count: 1, example: null });
  const { owner, asked } = ownerRefusing({ [ingestOutcomeHeader]: outcome, "retry-after": "1" });
  await expect(askPatiently(owner, routes.submitSpanUpdates, callOf({}), "{}")).rejects.toMatchObject({
    code: "queue_full",
    retryAfterSeconds: 1,
  });
  expect(asked.count).toBe(4);
});

const absent = { comment: null, metadata: null, sessionId: null, runId: null, caseId: null, runNumber: null };
const at = "2026-01-05T00:00:00.000Z";
const times = { timestamp: at, createdAt: at, updatedAt: at };
const of = { traceId: null, spanId: null, author: null, authorId: null };
const stored = { name: "s", value: 1, dataType: "numeric", source: "code", ...absent, ...times, ...of };

/** What an owner was asked that throws once, for a score without an id. */
async function bodiesOfScore(thrown: AppError) {
  const bodies: { id: string }[] = [];
  const ingest: Owner = {
    async ask(_route, _call, { body = "" } = {}) {
      bodies.push(JSON.parse(body));
      if (bodies.length === 1) throw thrown;
      return JSON.stringify({ scores: [{ ...stored, id: bodies[0]?.id }] });
    },
  };
  const [route] = scoreRoutes({ ingest, clock: { now: () => 1_000 } });
  const answer = await route?.handle(callOf({ name: "s", value: 1, traceId: "t" })).catch((error) => error);
  return { bodies, answer };
}

test("a score without an id has the same one when it is sent again", async () => {
  const { bodies, answer } = await bodiesOfScore(
    new AppError("service_unavailable", "Full.", { retryAfterSeconds: 1 }),
  );
  expect(bodies[0]?.id).toEqual(expect.any(String));
  expect(bodies.map(({ id }) => id)).toEqual([bodies[0]?.id, bodies[0]?.id]);
  expect(answer).toMatchObject({ status: 200, body: { id: bodies[0]?.id } });
});

test("a score that was sent and not answered is not sent again", async () => {
  const { bodies, answer } = await bodiesOfScore(new AppError("service_unavailable", "Ingest did not answer in time."));
  expect(bodies).toHaveLength(1);
  expect(answer).toMatchObject({ code: "service_unavailable" });
});
