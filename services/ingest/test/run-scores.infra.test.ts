import { internalRoutes, type RunScores } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import { useIngest, usePeer } from "./running-ingest.ts";

const { ingest } = useIngest();
const evalRuns = usePeer("eval-runs", ingest);

const trace = "5b8efff798038103d269b633813fc60c";
const span = "000000000000000b";
const minute = (at: number): string => `2026-01-01T00:0${at}:00.000Z`;

test("the scores of a run and of traces are read by name, newest first, with what they name", async () => {
  const [projectId, runId] = [uuidv7(Date.now()), uuidv7(Date.now())];
  const scores = [
    { name: "exact", value: 1, traceId: trace, timestamp: minute(1) },
    { name: "exact", value: 0.5, traceId: trace, spanId: span, timestamp: minute(2) },
    { name: "exact", value: true, runId, caseId: "case", runNumber: 2, timestamp: minute(3) },
    { name: "exact", value: "good", traceId: trace, timestamp: minute(4) },
    { name: "exact", value: 1, traceId: "another trace", timestamp: minute(4) },
    { name: "other", value: 1, traceId: trace, timestamp: minute(4) },
  ];
  const stored = await ingest.call(projectId, "POST", "/api/v1/scores", { body: JSON.stringify(scores) });
  expect(stored.status).toBe(201);
  const read = (of: string): Promise<RunScores> => {
    const asked = { projectId: of, name: "exact", runId, traceIds: [trace], cursor: null };
    return evalRuns.call(internalRoutes.readRunScores, asked, { requestId: "r", deadlineMs: 5_000 });
  };

  expect(await read(projectId)).toEqual({
    scores: [
      { value: 1, ofRun: { caseId: "case", runNumber: 2 }, traceIds: [], spanId: null },
      { value: 0.5, ofRun: null, traceIds: [trace], spanId: span },
      { value: 1, ofRun: null, traceIds: [trace], spanId: null },
    ],
    nextCursor: null,
  });
  expect(await read(uuidv7(Date.now()))).toEqual({ scores: [], nextCursor: null });
});
