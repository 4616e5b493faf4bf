import { limits, routes } from "@touchstone/contracts";
import { buildDataset } from "@touchstone/testkit";
import { describe, expect, test } from "vitest";
import { useCombined } from "../src/use-combined.ts";

/** How many members the JSON of a body may have, where it is read in one turn of the event loop. */

const { system, client } = useCombined();
const noRun = "00000000-0000-7000-8000-000000000000";

/** An object of this many members. */
const objectOf = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`member ${at}`, at]));

describe("a body with more members than its route takes is 400, and names the bound:", () => {
  test.each([
    [routes.createJudgeScorer, limits.jsonNamesMax],
    [routes.createEvaluationSettings, limits.jsonNamesMax],
    [routes.createPattern, limits.jsonNamesMax],
    [routes.createWebhook, limits.jsonNamesMax],
    [routes.submitScores, limits.batchNamesMax],
    [routes.submitSpanUpdates, limits.batchNamesMax],
    [routes.submitResults, limits.batchNamesMax],
    [routes.callMcp, limits.mcpNamesMax],
  ])("$id", async ({ path }, max) => {
    const send = async (count: number) => {
      const body = JSON.stringify(objectOf(count));
      const headers = { "x-api-key": system.apiKey, "content-type": "application/json" };
      const answer = await fetch(system.url + path.replace("{runId}", noRun), { method: "POST", headers, body });
      return { status: answer.status, body: await answer.text() };
    };
    const message = `The request body holds more than ${max} members of JSON objects.`;
    expect(await send(max + 1)).toEqual({ status: 400, body: JSON.stringify({ statusCode: 400, message }) });
    expect((await send(max)).body).not.toContain("members of JSON objects");
  });
});

describe("a client of Langfuse", () => {
  const send = async (path: string, body: unknown) => {
    const authorization = `Basic ${Buffer.from(`pk-lf-1:${system.apiKey}`).toString("base64")}`;
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(`${system.url}/api/public${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };

  test.each(["/ingestion", "/scores"])("may send more members to %s", async (path) => {
    const { status, body } = await send(path, objectOf(limits.langfuseNamesMax + 1));
    expect({ status, message: body.message }).toEqual({
      status: 400,
      message: `The request body holds more than ${limits.langfuseNamesMax} members of JSON objects.`,
    });
  });

  test("gets the event with too many back, and the others are stored", async () => {
    const timestamp = new Date().toISOString();
    const event = (id: string, metadata: unknown) => ({
      ...{ id, type: "trace-create", timestamp },
      body: { id: `trace of ${id}`, timestamp, metadata },
    });
    const batch = [event("short", objectOf(10)), event("long", objectOf(limits.batchNamesMax))];
    const { status, body } = await send("/ingestion", { batch });
    expect(status).toBe(207);
    expect(body).toEqual({
      successes: [{ id: "short", status: 201 }],
      errors: [
        {
          id: "long",
          status: 400,
          message: `The event has more than ${limits.batchNamesMax} members`,
          error: "InvalidRequestError",
        },
      ],
    });
  });

  test("gets the score with too many back, and the others of its list are stored", async () => {
    const score = (name: string, metadata: unknown) => ({ name, value: 1, traceId: "trace of scores", metadata });
    const long = score("long", objectOf(limits.batchNamesMax));
    const refusal = `The score has more than ${limits.batchNamesMax} members`;
    expect(await send("/scores", [long, score("short", objectOf(10))])).toEqual({
      status: 207,
      body: { accepted: 1, rejected: 1, errors: [{ message: `scores[0]: ${refusal}` }] },
    });
    expect(await send("/scores", long)).toMatchObject({ status: 400, body: { message: refusal } });
  });
});

test("a trace and a dataset may have many members", async () => {
  const metadata = objectOf(limits.batchNamesMax + 1);
  const trace = await client.send("POST", "/ingest/traces", { name: "long", input: metadata });
  expect(trace.status).toBe(201);
  const stored = await client.send("POST", "/custom-agent-evaluations/datasets", { ...buildDataset(), metadata });
  expect(stored.status).toBe(201);
});
