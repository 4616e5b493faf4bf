import path from "node:path";

/** What the service keeps in PostgreSQL, and where the steps are that make it. Search needs the extensions. */
export const ingestSchema = {
  schema: "ingest",
  directory: path.join(import.meta.dirname, "..", "migrations"),
  extensions: ["pg_trgm", "btree_gin"],
} as const;
