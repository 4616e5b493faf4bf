import { type Environment, readStoreServiceConfig, type StoreServiceConfig } from "@touchstone/service-kit";

export interface IngestConfig extends StoreServiceConfig {
  /** Spans that may wait for a commit. */
  queueRowsMax: number;
  /** Spans in one commit. */
  batchRowsMax: number;
  /** Longest JSON text of one stored field; null = unlimited. */
  fieldCharsMax: number | null;
  /** Root traces a project may store in one UTC day; null = unlimited. */
  tracesPerDay: number | null;
  /** Retention in days for projects without a setting; null = unlimited. */
  retentionDays: number | null;
  /** Largest OTLP export, on the wire and inflated. */
  otlpBodyMaxBytes: number;
  /** Leave out OTel traces without any GenAI span in their export. */
  genAiOnly: boolean;
  /** Live checks look at child spans too. */
  monitorsChildSpans: boolean;
}

/** Reads ingest's settings; reports every mistake at once, by variable name. */
export function readIngestConfig(environment: Environment): { config: IngestConfig; warnings: string[] } {
  const { config, values, warnings } = readStoreServiceConfig(environment, {
    database: "SERVICE_INGEST_DB_URL",
    more: [
      "SERVICE_INGEST_QUEUE_MAX",
      "SERVICE_INGEST_FLUSH_SIZE",
      "SERVICE_INGEST_MAX_FIELD_CHARS",
      "SERVICE_OTLP_MAX_BODY_BYTES",
      "SERVICE_OTLP_GENAI_ONLY",
      "SERVICE_QUOTA_TRACES_PER_DAY",
      "SERVICE_RETENTION_DAYS",
      "SERVICE_MONITOR_CHILD_SPANS",
    ],
  });
  return {
    config: {
      ...config,
      queueRowsMax: values.SERVICE_INGEST_QUEUE_MAX,
      batchRowsMax: values.SERVICE_INGEST_FLUSH_SIZE,
      fieldCharsMax: values.SERVICE_INGEST_MAX_FIELD_CHARS ?? null,
      tracesPerDay: values.SERVICE_QUOTA_TRACES_PER_DAY ?? null,
      retentionDays: values.SERVICE_RETENTION_DAYS ?? null,
      otlpBodyMaxBytes: values.SERVICE_OTLP_MAX_BODY_BYTES,
      genAiOnly: values.SERVICE_OTLP_GENAI_ONLY,
      monitorsChildSpans: values.SERVICE_MONITOR_CHILD_SPANS,
    },
    warnings,
  };
}
