import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { AppError, type Logger } from "@touchstone/service-kit";
import { Client } from "pg";
import { sqlStateOf, translateDatabaseError } from "./database-error.ts";

/** The roles of one schema. Each service has three; none can log in. */
export interface SchemaRoles {
  /** Owns the schema and migrates it. */
  owner: string;
  /** Serves requests: row-level security binds it. */
  app: string;
  /** Relay, sweepers, retention: sees every project. */
  maintenance: string;
}

export interface MigrationOptions {
  url: string;
  schema: string;
  /** The folder of `NNNN-what.sql`. */
  directory: string;
  logger: Logger;
}

/** The names of a schema's roles. They are the same in every database, because roles belong to the cluster. */
export function rolesOf(schema: string): SchemaRoles {
  return {
    owner: `touchstone_${schema}_owner`,
    app: `touchstone_${schema}_app`,
    maintenance: `touchstone_${schema}_maintenance`,
  };
}

/**
 * Brings one schema to the newest version: creates its roles and the schema if they are missing, then runs each new
 * migration in a separate transaction, under one advisory lock, so that replicas that start together wait for each
 * other and a killed one leaves nothing half done. The log-in needs CREATEROLE, or the roles must exist and be granted
 * to it; and CREATE on the database, or the schema must exist. Otherwise the error contains the statements to
 * run.
 */
export async function migrateSchema(options: MigrationOptions): Promise<{ applied: string[] }> {
  const { schema, logger } = options;
  const migrations = await readMigrations(options.directory);
  return withClient(options, async (client) => {
    await client.query("select pg_advisory_lock(hashtext($1))", [`touchstone migrate ${schema}`]);
    await provision(client, options, rolesOf(schema));
    await client.query(`set role ${rolesOf(schema).owner}`);
    await client.query(
      `create table if not exists ${schema}.migrations (
         name text primary key,
         sha256 text not null,
         applied_at timestamptz not null default now()
       )`,
    );
    const missing = await selectMissing(client, schema, migrations);
    for (const { name, sql, sha256 } of missing) {
      await client.query("begin");
      await client.query(sql);
      await client.query(`insert into ${schema}.migrations (name, sha256) values ($1, $2)`, [name, sha256]);
      await client.query("commit");
      logger.info({ schema, migration: name }, "migration applied");
    }
    return { applied: missing.map(({ name }) => name) };
  });
}

/** The migrations that {@link migrateSchema} would apply. Changes nothing. */
export async function findMissingMigrations(options: MigrationOptions): Promise<string[]> {
  const { schema } = options;
  const migrations = await readMigrations(options.directory);
  return withClient(options, async (client) => {
    const { rowCount } = await client.query(
      `select from pg_class join pg_namespace as schemas on schemas.oid = relnamespace
        where relname = 'migrations' and nspname = $1`,
      [schema],
    );
    if (rowCount === 0) return migrations.map(({ name }) => name);
    await client.query(`set role ${rolesOf(schema).owner}`);
    return (await selectMissing(client, schema, migrations)).map(({ name }) => name);
  });
}

/**
 * The migrations that are not applied yet. Migrations of a newer version are ignored: this version works on its schema.
 */
async function selectMissing(client: Client, schema: string, migrations: readonly Migration[]): Promise<Migration[]> {
  const { rows } = await client.query<Omit<Migration, "sql">>(`select name, sha256 from ${schema}.migrations`);
  const known = new Map(rows.map((row) => [row.name, row.sha256]));
  const changed = migrations.find(({ name, sha256 }) => known.has(name) && known.get(name) !== sha256);
  if (changed !== undefined) {
    throw new Error(
      `Migration ${changed.name} of schema ${schema} changed after it was applied; restore it and add a new one.`,
    );
  }
  return migrations.filter(({ name }) => !known.has(name));
}

async function withClient<Result>(
  { url, schema }: MigrationOptions,
  use: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    options: "-c lock_timeout=60000",
    application_name: `${schema} migration`,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await use(client);
  } catch (thrown) {
    throw translateDatabaseError(thrown);
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface Migration {
  name: string;
  sql: string;
  sha256: string;
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}-[a-z0-9-]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(directory, name), "utf8");
      return { name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

/** Another process created the same role, or the same grant, at the same moment: check again. */
const lostRaces = new Set(["42710", "23505", "XX000"]);
const racesMax = 20;

/**
 * Creates the roles and the schema if they are missing. Roles belong to the cluster but advisory locks
 * to a database, so services that migrate different databases of one cluster race here, and the loser checks again.
 */
async function provision(client: Client, options: MigrationOptions, roles: SchemaRoles): Promise<void> {
  const { schema } = options;
  for (let race = 0; ; race += 1) {
    const statements = await findMissing(client, schema, roles);
    try {
      for (const statement of statements) await client.query(statement);
      return;
    } catch (cause) {
      if (race < racesMax && lostRaces.has(sqlStateOf(cause) ?? "")) {
        await setTimeout(25 + Math.random() * 100);
        continue;
      }
      throw new AppError(
        "store_unavailable",
        `The database login may not prepare schema ${schema}. As an administrator run: ${statements.join("; ")};`,
        { cause },
      );
    }
  }
}

async function findMissing(client: Client, schema: string, roles: SchemaRoles): Promise<string[]> {
  const missing: string[] = [];
  for (const role of Object.values(roles)) {
    const { rows } = await client.query<{ exists: boolean; granted: boolean }>(
      `select exists (select from pg_roles where rolname = $1) as exists,
              exists (select from pg_roles where rolname = $1 and pg_has_role(current_user, oid, 'SET')) as granted`,
      [role],
    );
    if (!rows[0]?.exists) missing.push(`create role ${role} nologin`);
    if (!rows[0]?.granted) missing.push(`grant ${role} to current_user with inherit false, set true`);
  }
  const { rows } = await client.query<{ exists: boolean }>(
    "select exists (select from pg_namespace where nspname = $1)",
    [schema],
  );
  if (!rows[0]?.exists) missing.push(`create schema ${schema} authorization ${roles.owner}`);
  return missing;
}
