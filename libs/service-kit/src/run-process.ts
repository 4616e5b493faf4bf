import { ConfigError } from "./config.ts";
import type { Logger } from "./logger.ts";
import type { Service } from "./service.ts";

/** After this long a stop that hangs is ended by force, with exit code 1 (completions 1.1). */
const hardExitMs = 10_000;

/**
 * Runs one service as a process: starts it, stops it on SIGTERM or SIGINT, exits 0. A mistake in the settings is
 * printed as it is and exits 2. An unhandled rejection is logged; an uncaught exception ends the process.
 */
export async function runProcess(build: () => { service: Service; logger: Logger }): Promise<void> {
  let built: { service: Service; logger: Logger };
  try {
    built = build();
  } catch (thrown) {
    if (!(thrown instanceof ConfigError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { service, logger } = built;
  process.on("unhandledRejection", (err) => logger.error({ err }, "a promise was rejected and nobody handled it"));
  process.on("uncaughtException", (err) => {
    logger.fatal({ err }, "uncaught exception");
    logger.flush();
    process.exit(1);
  });
  let stopping: Promise<void> | null = null;
  const stop = (signal: NodeJS.Signals): void => {
    if (stopping !== null) return;
    logger.info({ signal }, "stopping");
    setTimeout(() => {
      logger.error("the stop took too long; exiting");
      logger.flush();
      process.exit(1);
    }, hardExitMs).unref();
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
  const { address } = await service.start();
  logger.info({ address }, "serving");
}
