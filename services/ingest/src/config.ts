import type { Secret } from "@touchstone/contracts";
import { type Environment, loadSettings, requireSettings } from "@touchstone/service-kit";

export interface IngestConfig {
  listen: { host: string; port: number };
  logLevel: string;
  databaseUrl: string;
  rootSecret: string;
  nats: { url: string; user: string | undefined; password: Secret | undefined };
  /** Spans that may wait for a commit. */
  queueRowsMax: number;
  /** Spans that one commit takes. */
  batchRowsMax: number;
  /** Longest JSON text of one stored field; null = unlimited. */
  fieldCharsMax: number | null;
  /** Largest OTLP export, on the wire and inflated. */
  otlpBodyMaxBytes: number;
}

/** Reads ingest's settings; every mistake is reported at once, by variable name. */
export function readIngestConfig(environment: Environment): { config: IngestConfig; warnings: string[] } {
  const { values, warnings } = loadSettings(
    [
      "PORT",
      "SERVICE_HOST",
      "SERVICE_LOG_LEVEL",
      "SERVICE_DB_URL",
      "SERVICE_INGEST_DB_URL",
      "SERVICE_NATS_URL",
      "SERVICE_NATS_USER",
      "SERVICE_NATS_PASSWORD",
      "SERVICE_INTERNAL_SECRET",
      "SERVICE_INGEST_QUEUE_MAX",
      "SERVICE_INGEST_FLUSH_SIZE",
      "SERVICE_INGEST_MAX_FIELD_CHARS",
      "SERVICE_OTLP_MAX_BODY_BYTES",
    ],
    environment,
  );
  const { databaseUrl, natsUrl, rootSecret } = requireSettings({
    databaseUrl: [values.SERVICE_INGEST_DB_URL ?? values.SERVICE_DB_URL, "SERVICE_INGEST_DB_URL or SERVICE_DB_URL"],
    natsUrl: [values.SERVICE_NATS_URL, "SERVICE_NATS_URL"],
    rootSecret: [values.SERVICE_INTERNAL_SECRET, "SERVICE_INTERNAL_SECRET"],
  });
  return {
    config: {
      listen: { host: values.SERVICE_HOST, port: values.PORT },
      logLevel: values.SERVICE_LOG_LEVEL,
      databaseUrl: databaseUrl.reveal(),
      rootSecret: rootSecret.reveal(),
      nats: { url: natsUrl, user: values.SERVICE_NATS_USER, password: values.SERVICE_NATS_PASSWORD },
      queueRowsMax: values.SERVICE_INGEST_QUEUE_MAX,
      batchRowsMax: values.SERVICE_INGEST_FLUSH_SIZE,
      fieldCharsMax: values.SERVICE_INGEST_MAX_FIELD_CHARS ?? null,
      otlpBodyMaxBytes: values.SERVICE_OTLP_MAX_BODY_BYTES,
    },
    warnings,
  };
}
