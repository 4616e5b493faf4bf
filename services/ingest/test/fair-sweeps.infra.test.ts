import { type SettledTrace, tracesSettled } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import type { IncomingSpan } from "../src/model/span.ts";
import { asTheyAre, useIngestDatabase } from "./ingest-database.ts";
import { newProject, otlp, readAnnounced, storeJob } from "./settling-bench.ts";
import { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";

const database = useIngestDatabase();

async function store(projectId: string, count: number, spanOf: (index: number) => Partial<IncomingSpan>) {
  const spans = Array.from({ length: count }, (_, index) => spanOf(index));
  await storeJob(database, await buildJob(projectId, spans));
}

async function rootNames(projectId: string): Promise<string[]> {
  const page = await database.store.listRoots({ projectId, limit: 10, before: null, ...anyRoot }, asTheyAre);
  return page.items.map(({ name }) => name);
}

const settled = async (projectId: string): Promise<string[]> =>
  (await readAnnounced<SettledTrace>(database, projectId, tracesSettled)).map(({ name }) => name);

const ownTrace = (index: number) => ({ otelTraceId: (index + 1).toString(16).padStart(32, "0") });

describe("one turn of the sweeper reaches a project behind another's backlog", () => {
  // More than one turn takes.
  test.each<[string, number, (index: number) => Partial<IncomingSpan>, (projectId: string) => Promise<string[]>]>([
    ["to promote an orphan", 210, (index) => otlp(2, 1, ownTrace(index)), rootNames],
    ["to promote a REST child", 510, () => ({ parentSpanId: "p" }), rootNames],
    ["to announce a trace that settled", 210, (index) => otlp(1, null, ownTrace(index)), settled],
  ])("%s", async (_what, backlog, spanOf, shown) => {
    const [busy, other, late] = [newProject(), newProject(), newProject()] as const;
    await store(busy, backlog, spanOf);
    for (const projectId of [other, late]) {
      await store(projectId, 1, (index) => ({ ...spanOf(index), name: "waits" }));
      expect(await shown(projectId)).toEqual([]);
    }

    await database.sweep();

    expect([await shown(other), await shown(late)]).toEqual([["waits"], ["waits"]]);
  });
});
