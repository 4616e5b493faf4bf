import { z } from "zod";
import type { serviceNames } from "../bus/define.ts";

/** The exportable entities, by the name in the path, and the service that owns them (completions 13). */
export const exportEntities = {
  traces: "ingest",
  agents: "ingest",
  scores: "ingest",
  media: "ingest",
  datasets: "eval-runs",
  "dataset-versions": "eval-runs",
  runs: "eval-runs",
  "run-results": "eval-runs",
  "gate-results": "eval-runs",
  "evaluation-settings": "eval-runs",
  "evaluation-settings-versions": "eval-runs",
  "evaluation-analyses": "eval-runs",
  "scorer-groups": "eval-runs",
  "online-evaluators": "eval-runs",
  prompts: "eval-runs",
  "prompt-versions": "eval-runs",
  "tool-schemas": "eval-runs",
  "tool-schema-versions": "eval-runs",
  signals: "monitor",
  "signal-feedback": "monitor",
  events: "monitor",
  feedback: "monitor",
  outcomes: "monitor",
  "session-scores": "monitor",
  patterns: "monitor",
  "custom-evaluators": "monitor",
  "monitor-profiles": "monitor",
  "project-settings": "auth",
  "audit-events": "auth",
} as const satisfies Record<string, (typeof serviceNames)[number]>;

export type ExportEntity = keyof typeof exportEntities;

/** The names, as the refusal of an unknown one lists them. */
export const exportEntityNames = Object.keys(exportEntities) as ExportEntity[];

/** Query of every export. */
export const exportQuery = z.object({
  since: z
    .string()
    .optional()
    .describe("ISO 8601; only what was created then or later. Read it from the last export's newest createdAt."),
});

export const exportParams = z.object({ entity: z.string() });

/** `GET /export`: the exportable entities and their current counts. */
export const exportIndex = z.object({
  generatedAt: z.string(),
  format: z.literal("ndjson"),
  entities: z.array(z.object({ entity: z.string(), rows: z.number().int(), path: z.string() })),
});

/** 404 of an entity that does not exist. */
export const unknownExportEntity = z.object({ error: z.string(), entities: z.array(z.string()) });

/** The counts of one service for {@link exportIndex}. */
export const exportCounts = z.object({
  entities: z.array(z.object({ entity: z.string(), rows: z.number().int() })),
});

/** The project whose rows are counted, and the minimum epoch millisecond; null = all. */
export const exportCountQuery = z.object({ projectId: z.uuid(), sinceMs: z.number().nullable() });

/**
 * One line of `POST /import/traces`: a line of `GET /export/traces`, or an OTLP/JSON export. Any-JSON members are
 * stored as the text they came in, so ingest checks a line member by member.
 */
export const importedLine = z.looseObject({ name: z.string().optional() });

/** Answer of `POST /import/traces`, complete or cut short; spans are counted. */
export const importReply = z.object({
  stored: z.number().int(),
  replayed: z.number().int().describe("Stored before, by this import or another way; nothing was changed."),
  rejected: z.number().int(),
  reasons: z
    .array(z.object({ line: z.number().int(), error: z.string() }))
    .describe("Of the first 100 lines with a mistake; lines count from 1."),
});

/** The same when the import could not continue: finished work is kept, and the whole may be sent again. */
export const interruptedImport = importReply.extend({ error: z.string() });
