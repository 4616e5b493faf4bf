import { flushCompileCache } from "node:module";
import type { ServiceName } from "@touchstone/contracts";
import { readBuild, showBuild } from "./build-info.ts";
import { type Clock, systemClock } from "./clock.ts";
import { ConfigError, type Environment } from "./config.ts";
import { createLogger, type Logger } from "./logger.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import type { ProcessConfig } from "./process-config.ts";
import { releaseIdleMemory } from "./release-memory.ts";
import type { Service } from "./service.ts";
import { StartError } from "./start-error.ts";
import { startTracing } from "./tracing.ts";
import { watchEventLoop } from "./watch-event-loop.ts";
import { startWatchdog } from "./watchdog.ts";

type RunConfig = Pick<ProcessConfig, "logLevel" | "stopWithinMs" | "stallAfterMs" | "tracing">;

interface ProcessDependencies {
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
}

/** What a `main.ts` runs. */
export interface ServiceProcess<Config extends RunConfig> {
  name: ServiceName;
  environment: Environment;
  read: (environment: Environment) => { config: Config; warnings: string[] };
  create: (config: Config, dependencies: ProcessDependencies) => Service;
  /** What the argument `migrate` does instead of a start; its result is printed. Absent: the service owns no schema. */
  migrate?: (environment: Environment) => Promise<string>;
}

/**
 * Runs one service as a process: starts it, stops it on SIGTERM or SIGINT, exits 0. Mistakes in the settings and a
 * {@link StartError} are printed unchanged, with exit code 2. An unhandled rejection is logged; an uncaught exception
 * ends the process, and so does an event loop that is blocked ({@link startWatchdog}). With the argument `migrate` it
 * only migrates the schema: one line, and exit code 0 or 1.
 */
export async function runProcess<Config extends RunConfig>({
  name,
  environment,
  read,
  create,
  migrate,
}: ServiceProcess<Config>): Promise<void> {
  if (process.argv[2] === "migrate") return runMigration(name, environment, migrate);
  let built: { config: Config; logger: Logger; service: Service };
  try {
    const { config, warnings } = read(environment);
    const logger = createLogger({ service: name, level: config.logLevel });
    for (const warning of warnings) logger.warn(warning);
    const metrics = createMetrics();
    watchEventLoop({ service: name, metrics, logger });
    showBuild({ service: name, metrics, environment });
    releaseIdleMemory();
    built = { config, logger, service: create(config, { logger, clock: systemClock, metrics }) };
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { service, logger } = built;
  const { stopWithinMs, stallAfterMs, tracing: traces } = built.config;
  const tracing = traces === null ? null : await startTracing(traces, logger);
  // With a full disk printed lines are lost, like log lines; the service continues.
  process.stdout.on("error", () => {});
  process.on("unhandledRejection", (err) => logger.error({ err }, "a promise was rejected and not handled"));
  process.on("uncaughtException", (err) => {
    logger.fatal({ err }, "uncaught exception");
    logger.flush();
    process.exit(1);
  });
  const watchdog = startWatchdog({
    service: name,
    stopWithinMs,
    stallAfterMs,
    onFailure: (err) => logger.warn({ err }, "there is no watchdog: a blocked event loop will not end the process"),
  });
  let stopping: Promise<void> | null = null;
  const stop = (reason: NodeJS.Signals | "the start failed"): void => {
    if (stopping !== null) return;
    watchdog.noteStop();
    logger.info({ reason }, "stopping");
    setTimeout(() => {
      logger.error("the stop took too long; exiting");
      logger.flush();
      process.exit(1);
    }, stopWithinMs).unref();
    stopping = service.stop().then(
      async () => {
        await tracing?.stop();
        logger.info("stopped");
      },
      (err) => {
        logger.error({ err }, "the stop failed");
        process.exitCode = 1;
      },
    );
    void stopping.then(() => {
      logger.flush();
      process.exit();
    });
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
  try {
    const { address } = await service.start();
    logger.info({ address, ...readBuild(environment) }, "serving");
    // Where NODE_COMPILE_CACHE is set: written now, the compiled code survives a later kill of the process.
    flushCompileCache();
  } catch (thrown) {
    if (stopping !== null) return;
    if (thrown instanceof StartError) process.stderr.write(`${thrown.message}\n`);
    else logger.fatal({ err: thrown }, "the start failed");
    process.exitCode = thrown instanceof StartError ? 2 : 1;
    stop("the start failed");
  }
}

async function runMigration(
  name: ServiceName,
  environment: Environment,
  migrate: ((environment: Environment) => Promise<string>) | undefined,
): Promise<void> {
  try {
    const done = migrate === undefined ? "owns no schema, there is nothing to migrate" : await migrate(environment);
    process.stdout.write(`${name}: ${done}.\n`);
  } catch (thrown) {
    const isMistake = thrown instanceof ConfigError;
    process.stderr.write(isMistake ? `${thrown.message}\n` : `${name}: the migration failed: ${explain(thrown)}\n`);
    process.exitCode = isMistake ? 2 : 1;
  }
}

/** The messages of an error and its causes, in one line. */
function explain(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "for an unknown reason";
  const own = thrown.message || ("code" in thrown ? String(thrown.code) : thrown.name);
  const line = own
    .split("\n")
    .map((part) => part.trim())
    .join(" ");
  return thrown.cause === undefined ? line : `${line} (${explain(thrown.cause)})`;
}
