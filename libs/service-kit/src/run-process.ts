import { flushCompileCache } from "node:module";
import { ConfigError } from "./config.ts";
import type { Logger } from "./logger.ts";
import type { Service } from "./service.ts";
import { StartError } from "./start-error.ts";

/** After this long a stop that hangs is ended by force, with exit code 1 (completions 1.1). */
const stopWithinDefaultMs = 10_000;

/** What a `main.ts` builds. */
export interface BuiltProcess {
  service: Service;
  logger: Logger;
  stopWithinMs?: number;
}

/**
 * Runs one service as a process: starts it, stops it on SIGTERM or SIGINT, exits 0. A mistake in the settings and a
 * {@link StartError} are printed as they are and exit 2. An unhandled rejection is logged; an uncaught exception ends
 * the process. A service whose work in hand takes longer than the default says so with `stopWithinMs`.
 */
export async function runProcess(build: () => BuiltProcess): Promise<void> {
  let built: BuiltProcess;
  try {
    built = build();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { service, logger, stopWithinMs = stopWithinDefaultMs } = built;
  // What is printed is lost with a full disk, as log lines are; the service is not.
  process.stdout.on("error", () => {});
  process.on("unhandledRejection", (err) => logger.error({ err }, "a promise was rejected and nobody handled it"));
  process.on("uncaughtException", (err) => {
    logger.fatal({ err }, "uncaught exception");
    logger.flush();
    process.exit(1);
  });
  let stopping: Promise<void> | null = null;
  const stop = (reason: NodeJS.Signals | "the start failed"): void => {
    if (stopping !== null) return;
    logger.info({ reason }, "stopping");
    setTimeout(() => {
      logger.error("the stop took too long; exiting");
      logger.flush();
      process.exit(1);
    }, stopWithinMs).unref();
    stopping = service.stop().then(
      () => logger.info("stopped"),
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
    logger.info({ address }, "serving");
    // Where NODE_COMPILE_CACHE is set: kept now, a process that is killed later has not compiled for nobody.
    flushCompileCache();
  } catch (thrown) {
    if (stopping !== null) return;
    if (thrown instanceof StartError) process.stderr.write(`${thrown.message}\n`);
    else logger.fatal({ err: thrown }, "the start failed");
    process.exitCode = thrown instanceof StartError ? 2 : 1;
    stop("the start failed");
  }
}
