import { uuidv7 } from "@touchstone/service-kit";
import { describe, expect, test } from "vitest";
import type { StoredSpan } from "../src/model/read-span.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import type { TraceStore } from "../src/trace-store/trace-store.ts";
import { buildJob } from "./span-builders.ts";

/** How every {@link TraceStore} reads the spans below a span; tests are separated by project. */
export function describeSubtrees(open: () => TraceStore): void {
  const newProject = (): string => uuidv7(Date.now());

  async function insert(projectId: string, ...spans: Partial<IncomingSpan>[]): Promise<StoredSpan[]> {
    const [outcome] = await open().insertBatch([await buildJob(projectId, spans)], 0);
    if (outcome?.status !== "fulfilled") throw outcome?.reason;
    return outcome.value;
  }

  describe("subtrees", () => {
    test("a subtree holds nothing of another project's that has the same names", async () => {
      const [own, foreign] = [newProject(), newProject()];
      const trace = { producer: "otlp" as const, otelTraceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
      const spans = [
        { ...trace, spanId: "1".repeat(16) },
        { ...trace, spanId: "2".repeat(16), parentSpanId: "1".repeat(16) },
        { spanId: "root" },
        { spanId: "child", parentSpanId: "root" },
      ];
      const ids = (await insert(own, ...spans)).map(({ id }) => id);
      const [otel, , rest] = (await insert(foreign, ...spans)).map(({ id }) => id);

      expect(await open().readSubtree(foreign, ids[0] ?? "", 10)).toBeNull();
      expect(await open().readSubtree(foreign, otel ?? "", 10)).toHaveLength(2);
      expect(await open().readSubtree(foreign, rest ?? "", 10)).toHaveLength(2);
      for await (const slice of open().readSpans(foreign, ids)) expect(slice).toEqual([]);
      const read: string[] = [];
      for await (const slice of open().readSpans(own, ids)) read.push(...slice.map(({ id }) => id));
      expect(read).toEqual(ids);
    });

    test("a trace is found by its OpenTelemetry id or the id of a row, a span by its own, in its project only", async () => {
      const [own, foreign] = [newProject(), newProject()];
      const trace = { producer: "otlp" as const, otelTraceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
      const stored = await insert(
        own,
        { ...trace, spanId: "1".repeat(16) },
        { ...trace, spanId: "2".repeat(16), parentSpanId: "1".repeat(16) },
        { spanId: "rest" },
      );
      const [root = "", child = "", rest = ""] = stored.map(({ id }) => id);
      const otel = "4bf92f35-77b3-4da6-a3ce-929d0e0e4736";
      const named = [
        { trace: otel, spanId: null },
        { trace: otel, spanId: "2".repeat(16) },
        { trace: otel, spanId: "3".repeat(16) },
        { trace: rest, spanId: null },
        { trace: newProject(), spanId: null },
      ];

      expect(await open().findNamed(own, named)).toEqual([
        { rootId: root, spanRowId: root },
        { rootId: root, spanRowId: child },
        null,
        { rootId: rest, spanRowId: rest },
        null,
      ]);
      expect(await open().findNamed(foreign, named)).toEqual(named.map(() => null));
    });

    test("no more of a subtree is read than asked for, the span itself first of all", async () => {
      const projectId = newProject();
      const trace = { producer: "otlp" as const, otelTraceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
      const startMs = Date.now() - 60_000;
      const stored = await insert(
        projectId,
        ...[1, 2, 3, 4].map((digit) => ({
          ...trace,
          spanId: `${digit}`.repeat(16),
          parentSpanId: digit === 1 ? null : "1".repeat(16),
          startedAtMs: startMs + digit,
        })),
        { spanId: "root" },
        ...["a", "b", "c"].map((spanId) => ({ spanId, parentSpanId: "root" })),
        { spanId: "d", parentSpanId: "c" },
      );
      const [last, rest] = [stored[3]?.id ?? "", stored[4]?.id ?? ""];

      const placed = await open().readSubtree(projectId, last, 3);
      expect(placed?.map(({ spanId }) => spanId?.[0])).toEqual(["4", "1", "2"]);
      expect(await open().readSubtree(projectId, rest, 3)).toHaveLength(3);
      expect(await open().readSubtree(projectId, rest, 10)).toHaveLength(5);
    });
  });
}
