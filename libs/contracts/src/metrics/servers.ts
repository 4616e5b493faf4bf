import { busServices } from "../bus/define.ts";
import type { MetricFamilies } from "./metric.ts";

const storeServices = busServices.filter((name) => name !== "gateway");

/** What the services use: the bus, PostgreSQL, its backups and its disk. */
export const serverMetrics = {
  service_bus_dead_letters_total: {
    subject: "bus",
    type: "counter",
    help: "Events that were given up and kept as dead letters, by the durable consumer that could not process them.",
    unit: "events",
    labels: ["service", "durable"],
    services: storeServices,
  },
  service_bus_consumer_pending: {
    subject: "bus",
    type: "gauge",
    help: "Events that were not delivered to a durable consumer yet (num_pending of JetStream); absent while NATS is unavailable.",
    unit: "events",
    labels: ["service", "durable"],
    services: storeServices,
  },
  service_bus_consumer_ack_pending: {
    subject: "bus",
    type: "gauge",
    help: "Events that were delivered to a durable consumer and are not acknowledged yet (num_ack_pending of JetStream): in progress, or waiting for another try; absent while NATS is unavailable.",
    unit: "events",
    labels: ["service", "durable"],
    services: storeServices,
  },
  service_outbox_events_waiting: {
    subject: "bus",
    type: "gauge",
    help: "Events in the outbox that are not published yet, at most 10000; -1 when it is unknown.",
    unit: "events",
    labels: ["service"],
    services: storeServices,
  },
  service_outbox_oldest_event_age_seconds: {
    subject: "bus",
    type: "gauge",
    help: "How long the oldest unpublished event has waited in the outbox, as far as this process has seen it; -1 when it is unknown.",
    unit: "seconds",
    labels: ["service"],
    services: storeServices,
  },
  service_database_connections_in_use: {
    subject: "database",
    type: "gauge",
    help: "Connections to PostgreSQL that are in use, by role.",
    unit: "connections",
    labels: ["service", "role"],
    services: storeServices,
  },
  service_database_waiting: {
    subject: "database",
    type: "gauge",
    help: "Statements and transactions that wait for a connection to PostgreSQL, by role; each gives up after 2 s.",
    unit: "transactions",
    labels: ["service", "role"],
    services: storeServices,
  },
  service_backup_age_seconds: {
    subject: "backup",
    type: "gauge",
    help: "How long ago the last backup of the built-in PostgreSQL ended; -1 when there is none.",
    unit: "seconds",
    labels: [],
    services: [],
  },
  service_backup_log_archived: {
    subject: "backup",
    type: "gauge",
    help: "Whether the log of the built-in PostgreSQL is archived beside its backups: 1 or 0.",
    unit: "0 or 1",
    labels: [],
    services: [],
  },
  service_database_archive_failing: {
    subject: "backup",
    type: "gauge",
    help: "Whether PostgreSQL failed when it last archived a segment of its log: 1 or 0; -1 when it is unknown.",
    unit: "0 or 1",
    labels: [],
    services: ["ingest"],
  },
  service_disk_free_bytes: {
    subject: "backup",
    type: "gauge",
    help: "Free bytes of the disk that holds SERVICE_HOME (home) or its backups (backup).",
    unit: "bytes",
    labels: ["disk"],
    services: [],
  },
  service_disk_size_bytes: {
    subject: "backup",
    type: "gauge",
    help: "Size of the disk that holds SERVICE_HOME (home) or its backups (backup).",
    unit: "bytes",
    labels: ["disk"],
    services: [],
  },
} as const satisfies MetricFamilies;
