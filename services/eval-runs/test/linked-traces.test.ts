import { type Logger, uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { planOfDataset } from "../src/grading/plan.ts";
import { judgeResult } from "../src/judging/judge-result.ts";
import { createLinkedTraces } from "../src/judging/linked-traces.ts";
import { readSubmittedResult } from "../src/results/submitted-result.ts";
import { defaultTimings } from "../src/timings.ts";

const plan = planOfDataset({ id: "d", document: '{"name":"n"}' });

function createLinks(readTrace: () => Promise<never>) {
  const warnings: string[] = [];
  const logger = { warn: (_fields: object, message: string) => void warnings.push(message) } as unknown as Logger;
  const toolSchemas = { readDefinitions: () => Promise.reject(new Error("nobody asks")) };
  return { warnings, links: createLinkedTraces({ ingest: { readTrace }, toolSchemas, logger, traceMs: 20 }) };
}

test("unreadable traces are logged once for all results that are judged together", async () => {
  const { warnings, links } = createLinks(() => Promise.reject(new Error("away")));
  const link = links.open("project", plan);

  expect(await Promise.all([1, 2, 3].map((at) => link(uuidv7(at))))).toEqual([null, null, null]);

  expect(warnings).toEqual(["results are judged without their traces"]);
});

test("a trace is waited for no longer than so long, and a missing one is nothing to tell of", async () => {
  const { warnings, links } = createLinks(() => new Promise(() => undefined));

  expect(await links.open("project", plan)(uuidv7(1))).toBeNull();
  expect(await links.open("project", plan)("nonsense")).toBeNull();

  expect(warnings).toHaveLength(1);
});

test("a service that stops does not wait for a trace", async () => {
  const stopping = new AbortController();
  const sent = { idempotencyKey: "k", output: { text: "x" }, traceId: uuidv7(1) };
  const submitted = readSubmittedResult(sent, JSON.stringify(sent));
  if (submitted === null) throw new Error("the result is valid");
  const judging = judgeResult(
    { bus: {} as never, timings: defaultTimings },
    {
      projectId: "project",
      organizationId: null,
      verdictMode: "live",
      plan,
      evaluationCase: null,
      submitted,
      linkTrace: () => new Promise(() => undefined),
    },
    { leftMs: 60_000, signal: stopping.signal },
  );

  stopping.abort(new Error("stopping"));

  await expect(judging).rejects.toThrow("stopping");
});
