import { type SettledTrace, spansSettled, tracesSettled } from "@touchstone/contracts";
import { describe, expect, test } from "vitest";
import type { IncomingSpan } from "../src/model/span.ts";
import { useIngestDatabase } from "./ingest-database.ts";
import { calling, newProject, otlp, readAnnounced, spanId, storeJob, traceId } from "./settling-bench.ts";
import { buildJob } from "./span-builders.ts";

const database = useIngestDatabase();

const store = (job: Awaited<ReturnType<typeof buildJob>>): Promise<string[]> => storeJob(database, job);
const insert = async (projectId: string, ...spans: Partial<IncomingSpan>[]) => store(await buildJob(projectId, spans));

/** The announcements about a project's spans. */
const told = (projectId: string, event: typeof tracesSettled | typeof spansSettled): Promise<SettledTrace[]> =>
  readAnnounced(database, projectId, event);

describe("child spans, where live checks look at them too", () => {
  test("of REST settle with the commit that stores them, once, with the agent they name", async () => {
    const projectId = newProject();
    const child = { spanId: "c", parentSpanId: "r", name: 'a "tool"', error: "no", ...calling("search", false) };
    const context = { settlesChildren: true, agentId: newProject(), monitor: false };
    const [, id] = await store(await buildJob(projectId, [{ spanId: "r" }, child], context));
    await store(await buildJob(projectId, [child], context));
    const [anonymous] = await store(await buildJob(projectId, [{ parentSpanId: "r" }], { settlesChildren: true }));

    const said = { projectId, agentId: context.agentId, monitor: false, hasError: true, failedTools: ["search"] };
    expect(await told(projectId, spansSettled)).toMatchObject([
      { traceId: id, ...said, name: "search" },
      { traceId: anonymous, agentId: null, monitor: null },
    ]);
    expect(await told(projectId, tracesSettled)).toHaveLength(1);
  });

  test("of OpenTelemetry settle with their trace, with the agent of their root", async () => {
    const projectId = newProject();
    const [rootId, childId, grandchildId] = await insert(
      projectId,
      otlp(1, null),
      otlp(2, 1, { ...calling("t", true), output: '"done"' }),
      otlp(3, 2, { model: "m", output: '" "' }),
    );
    while ((await database.sweepWithChildren()) > 0);
    const [root] = await told(projectId, tracesSettled);
    expect(root).toMatchObject({ traceId: rootId, agentId: expect.any(String) });
    const shared = { agentId: root?.agentId, otelTraceId: traceId, monitor: null };
    expect(await told(projectId, spansSettled)).toMatchObject([
      { ...shared, traceId: childId, otelSpanId: spanId(2), toolCalls: 1, isOutputEmpty: false },
      { ...shared, traceId: grandchildId, otelSpanId: spanId(3), model: "m", isOutputEmpty: true },
    ]);
  });

  test("are not announced where they are not checked", async () => {
    const projectId = newProject();
    await insert(projectId, otlp(1, null), otlp(2, 1), { spanId: "r" }, { parentSpanId: "r" });
    while ((await database.sweep()) > 0);
    expect(await told(projectId, tracesSettled)).toHaveLength(2);
    expect(await told(projectId, spansSettled)).toEqual([]);
  });
});
