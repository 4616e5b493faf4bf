import { traceDetail, tracesJudged } from "@touchstone/contracts";
import { uuidv7 } from "@touchstone/service-kit";
import { expect, test } from "vitest";
import type { z } from "zod";
import { createVerdictStore } from "../src/judging/verdict-store.ts";
import type { ReadSpan } from "../src/model/read-span.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { showDetail, showListItem } from "../src/traces/show-trace.ts";
import { asTheyAre, useIngestDatabase } from "./ingest-database.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";

const database = useIngestDatabase();

const newProject = () => uuidv7(Date.now());

async function insert(projectId: string, ...spans: Partial<IncomingSpan>[]): Promise<string[]> {
  const [outcome] = await database.store.insertBatch([await buildJob(projectId, spans)], 0);
  if (outcome?.status !== "fulfilled") throw outcome?.reason;
  return outcome.value.map(({ id }) => id);
}

const judgeScores = { rating: 3, threshold: 5, scorerName: "Tone", judgeCount: 1, failingCount: 1, verdicts: [] };
const topic = { intent: "late order", sentiment: "negative" as const, issueType: "none" as const };
const keep = (traces: z.input<typeof tracesJudged.body>["traces"]) =>
  createVerdictStore(database.maintenance).keep(tracesJudged.body.parse({ traces }).traces);
const shown = async (pieces: ReturnType<typeof showDetail>) => JSON.parse(Buffer.concat(await pieces).toString());

async function read(projectId: string, id: string) {
  const { items: spans } = await database.store.listRoots({ projectId, limit: 9, before: null, ...anyRoot }, asTheyAre);
  let tailed: ReadSpan | undefined;
  for await (const [root] of database.store.readRoots(projectId, [id])) tailed = root;
  const detail = await database.store.readTrace(projectId, id);
  return {
    list: (await shown(showListItem(spans[0] as ReadSpan))).judgeScores,
    tail: (await shown(showListItem(tailed as ReadSpan))).judgeScores,
    detail: await shown(showDetail(detail as ReadSpan, { estimatedCostUSD: null, scores: [] })),
  };
}

test("what live judging says is shown by list, search, tail and detail, the greatest revision whatever comes when", {
  tags: ["spec:trace.judgeScores"],
}, async () => {
  const projectId = newProject();
  const [id = ""] = await insert(projectId, { name: "judged" });
  const before = await read(projectId, id);
  expect([before.list, before.tail, before.detail.judgeScores, "topic" in before.detail]).toEqual([
    null,
    null,
    null,
    false,
  ]);

  const of = { projectId, traceId: id };
  await keep([
    { ...of, revision: 2, judgeScores: { ...judgeScores, rating: 1 }, topic: null },
    { ...of, revision: 3, judgeScores, topic },
  ]);
  await keep([{ ...of, revision: 1, judgeScores: null, topic: null }]);
  await keep([{ ...of, revision: 3, judgeScores: null, topic: null }]);
  const after = await read(projectId, id);
  expect([after.list, after.tail, after.detail.judgeScores, after.detail.topic]).toEqual([
    judgeScores,
    judgeScores,
    judgeScores,
    topic,
  ]);
  const found = await database.store.listRoots(
    {
      projectId,
      limit: 9,
      before: null,
      ...anyRoot,
      pattern: "%judged%",
    },
    asTheyAre,
  );
  expect(found.items).toMatchObject([{ judgeScores }]);

  await keep([{ ...of, revision: 4, judgeScores: null, topic: null }]);
  expect((await read(projectId, id)).detail).toMatchObject({ judgeScores: null });
});

test("the topic is on the detail when topic analysis ran, absent before it did and where it never does, and on no list", {
  tags: ["spec:trace.detail.topic"],
}, async () => {
  const projectId = newProject();
  const [id = "", plain = ""] = await insert(projectId, { name: "asked" }, { name: "never asked" });
  const detailOf = async (of: string) =>
    traceDetail.parse(
      await shown(
        showDetail((await database.store.readTrace(projectId, of)) as ReadSpan, { estimatedCostUSD: null, scores: [] }),
      ),
    );
  expect(await detailOf(id)).not.toHaveProperty("topic");

  await keep([{ projectId, traceId: id, revision: 1, judgeScores: null, topic }]);
  await keep([{ projectId, traceId: plain, revision: 1, judgeScores, topic: null }]);
  expect((await detailOf(id)).topic).toEqual(topic);
  expect(await detailOf(plain)).not.toHaveProperty("topic");
  const { items: spans } = await database.store.listRoots({ projectId, limit: 9, before: null, ...anyRoot }, asTheyAre);
  for (const span of spans) expect(await shown(showListItem(span))).not.toHaveProperty("topic");
});

test("live judging results of another project's trace, or of a deleted one, are dropped, and deleted with their trace", async () => {
  const [projectId, other] = [newProject(), newProject()];
  const [id = "", kept = ""] = await insert(projectId, {}, {});
  const verdict = { revision: 1, judgeScores, topic };
  await keep([
    { projectId: other, traceId: id, ...verdict },
    { projectId, traceId: id, ...verdict },
    { projectId, traceId: kept, ...verdict },
    { projectId, traceId: uuidv7(Date.now()), ...verdict },
  ]);
  const verdicts = async () =>
    (
      await database.maintenance.query({
        name: "verdicts_of",
        text: "select trace_id from ingest.trace_verdicts where project_id = any($1::uuid[]) order by 1",
        values: [[projectId, other]],
      })
    ).rows.map(({ trace_id }) => trace_id);
  expect(await verdicts()).toEqual([id, kept].sort());
  await database.store.removeTrace(projectId, id, () => true);
  await keep([{ projectId, traceId: id, ...verdict, revision: 2 }]);
  expect(await verdicts()).toEqual([kept]);
});
