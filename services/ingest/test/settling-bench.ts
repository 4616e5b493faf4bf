import { uuidv7 } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ReadSpan } from "../src/model/read-span.ts";
import type { IncomingSpan } from "../src/model/span.ts";
import { asTheyAre, type IngestDatabase } from "./ingest-database.ts";
import type { buildJob } from "./span-builders.ts";
import { anyRoot } from "./trace-store-contract.ts";

// The data of the settling tests, and how they read announcements about it.

export const newProject = () => uuidv7(Date.now());
export const traceId = "a".repeat(32);
export const spanId = (span: number) => String(span).padStart(16, "0");

/** A span of the one OTel trace, by its number. */
export const otlp = (span: number, parent: number | null, more: Partial<IncomingSpan> = {}): Partial<IncomingSpan> => ({
  producer: "otlp",
  otelTraceId: traceId,
  spanId: spanId(span),
  parentSpanId: parent === null ? null : spanId(parent),
  startedAtMs: 1_000 + span,
  endedAtMs: 2_000,
  ...more,
});

export const calling = (name: string, success: boolean): Partial<IncomingSpan> => ({
  kind: "tool",
  name,
  toolCalls: JSON.stringify([{ name, success }]),
});

/** Stores a job; answers the ids of its spans. */
export async function storeJob(
  { store }: IngestDatabase,
  job: Awaited<ReturnType<typeof buildJob>>,
): Promise<string[]> {
  const [outcome] = await store.insertBatch([job], 0);
  if (outcome?.status !== "fulfilled") throw outcome?.reason;
  return outcome.value.map(({ id }) => id);
}

/** The first hundred roots of a project. */
export async function readRoots({ store }: IngestDatabase, projectId: string): Promise<ReadSpan[]> {
  return (await store.listRoots({ projectId, limit: 100, before: null, ...anyRoot }, asTheyAre)).items;
}

/** Ages all waiting rows by this much, and runs the sweeper as often as necessary. */
export async function passTime({ maintenance, sweep }: IngestDatabase, seconds: number): Promise<void> {
  for (const [table, column] of [
    ["traces", "settles_at"],
    ["traces", "due_at"],
    ["awaited_parents", "due_at"],
  ]) {
    await maintenance.query({
      name: `pass_${table}_${column}`,
      text: `update ingest.${table} set ${column} = ${column} - make_interval(secs => $1)`,
      values: [seconds],
    });
  }
  while ((await sweep()) > 0);
}

/** The contents of one subject's events for a project, in the order they were written. */
export async function readAnnounced<Item extends { projectId: string }>(
  { maintenance }: IngestDatabase,
  projectId: string,
  event: { subject: string; body: z.ZodType },
): Promise<Item[]> {
  const { rows } = await maintenance.query<{ body: string }>({
    name: "outbox_of",
    text: "select body from ingest.outbox where subject = $1 order by id",
    values: [event.subject],
  });
  // Each of these events has one member, the list of its items.
  return rows
    .flatMap(({ body }) => Object.values(event.body.parse(JSON.parse(body)) as Record<string, Item[]>).flat())
    .filter((item) => item.projectId === projectId);
}
