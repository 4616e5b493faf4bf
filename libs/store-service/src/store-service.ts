import { type Bus, connectBus } from "@touchstone/bus";
import { notTakenHeader, type ServiceName } from "@touchstone/contracts";
import {
  type Database,
  type DatabaseOptions,
  type MigrationOptions,
  migrateSchema,
  type OutboxStore,
  openDatabase,
  type PoolLoad,
  prepareSchema,
  readClock,
  rolesOf,
  type SchemaMigration,
  type SchemaPreparation,
} from "@touchstone/db";
import {
  AppError,
  type Clock,
  countDeadLetters,
  createClockCheck,
  createGauge,
  createHttpServer,
  createInternalClient,
  createLogger,
  type DatabaseSetting,
  type Environment,
  type Handler,
  type HttpServer,
  type HttpServerOptions,
  type InternalClient,
  type InternalClientOptions,
  type LocalCalls,
  type Logger,
  type Metrics,
  type Readiness,
  readDatabaseUrl,
  type Service,
  type StoreServiceConfig,
  serviceStarting,
} from "@touchstone/service-kit";
import { type Begin, type Stoppable, startBackgroundWork } from "./background-work.ts";
import { watchConsumers } from "./watch-consumers.ts";
import { watchOutbox } from "./watch-outbox.ts";

/** The dependencies that the process passes to a service. */
export interface StoreServiceDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Lets services in the same process call one another without a socket. */
  localCalls?: LocalCalls | undefined;
}

/** Checks whether a part can be used: `ok`, or a short reason without secrets. */
type Check = () => string | Promise<string>;

interface PoolOptions
  extends Pick<DatabaseOptions, "connectionsMax" | "statementTimeoutMs" | "openProjects" | "plansByKey"> {
  role: "app" | "maintenance";
  /** Shown in pg_stat_activity. Default `touchstone <service> <role>`. */
  applicationName?: string;
}

interface ServeOptions extends Pick<HttpServerOptions, "routes" | "drainMs" | "bodiesMaxBytes" | "tenants" | "shares"> {
  /**
   * The service is ready if all of `needed` are `ok`, and its clock agrees with PostgreSQL's, if it has a pool by now; the
   * others are only shown. With a bus, `events` shows whether the event store accepts events.
   */
  readiness: { needed: Record<string, Check>; shown: Record<string, Check> };
}

/**
 * Opens the parts of a service that owns a schema. Everything opened through the kit is stopped or closed with the
 * service, in reverse order of the calls.
 */
export interface StoreServiceKit extends Omit<StoreServiceDependencies, "localCalls"> {
  /** The migration of the schema, begun before the service is opened and cancelled before anything else is stopped. */
  migration: SchemaPreparation;
  /** Its load is shown in metrics, added to that of other pools with the role. */
  openPool(options: PoolOptions): Database;
  /** Shows in metrics how many events wait in the outbox, and how long. Call it once. */
  watchOutbox(outbox: Pick<OutboxStore, "readWaiting">): void;
  /** A client for another service, under this service's name. */
  connectTo(options: Pick<InternalClientOptions, "audience" | "addresses">): InternalClient;
  /** Call it once. Dead letters are counted, and metrics show how many events wait for its durable consumers. */
  connectBus(): Bus;
  /** Call it once. The server listens when the service is open. */
  serve(options: ServeOptions): HttpServer;
  /** Registers a resource to be stopped or closed, and returns it. */
  keep<Resource extends Stoppable | { close(): Promise<void> }>(resource: Resource): Resource;
  /** Registers a callback for the service's stop. */
  defer(stop: () => Promise<void> | void): void;
  /** Until the preparation (default: the migration) is done, requests get the service's 503. */
  onceReady(handle: Handler, preparation?: SchemaPreparation): Handler;
  /**
   * Begins background work in order once the preparation (default: the migration) is done; it is stopped in reverse
   * order. A failure to begin ends the process.
   */
  background(begins: readonly Begin[], preparation?: SchemaPreparation): void;
}

/**
 * A service that owns tables: `open` creates its parts with the kit and returns the server. It serves as soon as `open`
 * is done, whether or not PostgreSQL and NATS are available (decision 51).
 */
export function createStoreService(options: {
  name: ServiceName;
  schema: Pick<MigrationOptions, "schema" | "directory">;
  config: Pick<StoreServiceConfig, "databaseUrl" | "migratesAtStart" | "nats" | "rootSecret" | "listen">;
  dependencies: StoreServiceDependencies;
  /** The error for requests until the service is ready, given the reason. Default {@link serviceStarting}. */
  starting?: (state: string) => AppError;
  open: (kit: StoreServiceKit) => HttpServer | Promise<HttpServer>;
}): Service {
  const { name, schema, config, dependencies, starting = serviceStarting, open } = options;
  const { rootSecret, databaseUrl: url, nats } = config;
  const migratedBy = config.migratesAtStart ? null : `node services/${name}/src/main.ts migrate`;
  const { logger, clock, metrics, localCalls } = dependencies;
  const opened = new AsyncDisposableStack();
  let readiness = async (): Promise<Readiness> => ({ ready: false, checks: { schema: "not started" } });
  let migration: SchemaMigration | null = null;
  let isStopping = false;

  const keep: StoreServiceKit["keep"] = (resource) =>
    opened.adopt(resource, async (each) => ("close" in each ? each.close() : each.stop()));

  function createKit(migration: SchemaMigration): StoreServiceKit {
    const pools: { role: PoolOptions["role"]; database: Database; load(): PoolLoad }[] = [];
    let bus: Bus | null = null;
    watchPools(pools, { service: name, metrics });
    return {
      ...{ logger, clock, metrics },
      migration,
      keep,
      defer: (stop) => opened.defer(async () => stop()),
      openPool: ({ role, ...pool }) => {
        const applicationName = `touchstone ${name} ${role}`;
        const database = openDatabase({ applicationName, ...pool, url, role: rolesOf(schema.schema)[role], logger });
        pools.push({ role, database, load: database.load });
        return keep(database);
      },
      watchOutbox: (outbox) => watchOutbox(outbox, { service: name, clock, metrics }),
      connectTo: (client) => keep(createInternalClient({ ...client, issuer: name, rootSecret, clock, localCalls })),
      connectBus() {
        const onDeadLetter = countDeadLetters({ service: name, metrics });
        const password = nats.password?.reveal();
        const connected = connectBus({ ...nats, password, service: name, clock, logger, onDeadLetter });
        bus = connected;
        watchConsumers(connected, { service: name, clock, metrics });
        opened.defer(() => connected.drain());
        return connected;
      },
      serve({ readiness: { needed: own, shown }, ...server }) {
        const needed = { ...own, ...clockCheck(pools[0]?.database) };
        readiness = async () => {
          const states = await Promise.all(
            Object.entries({ ...needed, ...shown, ...(bus && { events: bus.checkEvents }) }).map(
              async ([part, check]) => [part, await check()] as const,
            ),
          );
          // Also for a service that works without its schema: the rollout of a version whose migrations were forgotten stops.
          const ready = !migration.isBehind() && states.every(([part, state]) => state === "ok" || !(part in needed));
          return { ready, checks: Object.fromEntries(states) };
        };
        return keep(
          createHttpServer({ ...server, service: name, rootSecret, clock, logger, metrics, localCalls, readiness }),
        );
      },
      onceReady: (handle, preparation = migration) => {
        return async (call) => {
          const state = preparation.state();
          if (state !== "ok") throw starting(state);
          return handle(call);
        };
      },
      background(begins, preparation = migration) {
        keep(startBackgroundWork({ preparation, begins, isStopping: () => isStopping, onFailure: endProcess }));
      },
    };
  }

  /** A process whose clock is wrong refuses what others sign (decision 64). */
  function clockCheck(database: Database | undefined): Record<string, Check> {
    if (database === undefined) return {};
    const readOther = async () => Number((await database.query(readClock)).rows[0]?.ms);
    return { clock: createClockCheck({ clock, logger, other: "PostgreSQL", readOther }) };
  }

  /**
   * Otherwise part of the work would be missing as long as the process runs; a new process begins all of it or reports
   * why not.
   */
  function endProcess(cause: unknown): void {
    if (isStopping) {
      logger.warn({ err: cause }, "background work failed to begin while the service stopped");
      return;
    }
    const err = new Error(`${name} failed to begin its background work`, { cause });
    // Outside of promises: an uncaught exception is logged and ends the process, a rejection is only logged.
    setImmediate(() => {
      throw err;
    });
  }

  return {
    name,
    async start() {
      migration = prepareSchema({ ...schema, url, logger, migratedBy });
      const server = await open(createKit(migration));
      return { address: await server.listen(config.listen) };
    },
    async stop() {
      isStopping = true;
      migration?.stop();
      await opened.disposeAsync();
    },
    readiness: () => readiness(),
  };
}

/** Metrics of the connections of a service, by role. */
function watchPools(
  pools: readonly { role: PoolOptions["role"]; load(): PoolLoad }[],
  { service, metrics }: { service: ServiceName; metrics: Metrics },
): void {
  const show = (name: `service_database_${"connections_in_use" | "waiting"}`, part: keyof PoolLoad): void => {
    createGauge(metrics, name, (gauge) => {
      gauge.reset();
      for (const { role, load } of pools) gauge.inc({ service, role }, load()[part]);
    });
  };
  show("service_database_connections_in_use", "inUse");
  show("service_database_waiting", "waiting");
}

/** For `main.ts`: migrates the schema of a service and says in one line what was applied. */
export function migrator({
  database,
  ...schema
}: Pick<MigrationOptions, "schema" | "directory"> & { database: DatabaseSetting }) {
  return async (environment: Environment): Promise<string> => {
    const logger = createLogger({ service: schema.schema, level: "silent" });
    const { applied } = await migrateSchema({ ...schema, url: readDatabaseUrl(environment, database), logger });
    return applied.length === 0
      ? `schema ${schema.schema} is up to date`
      : `schema ${schema.schema} is migrated: ${applied.join(", ")}`;
  };
}

/**
 * The error for requests until the schema is ready: that of an unavailable database. Another replica may accept them.
 */
export function databaseUnavailable(state: string): AppError {
  return new AppError("store_unavailable", "The database is unavailable; retry.", {
    cause: new Error(state),
    internalHeaders: { [notTakenHeader]: "1" },
  });
}
