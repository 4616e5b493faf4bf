import { type SettingName, settings } from "@touchstone/contracts";
import { EmbeddedServerError } from "@touchstone/embedded-servers";
import {
  ConfigError,
  createLogger,
  isAppError,
  loadSettings,
  readProcessConfig,
  StartError,
  startTracing,
  startWatchdog,
  type Watchdog,
} from "@touchstone/service-kit";
import { assertPortFree } from "./assert-port-free.ts";
import { openDashboard } from "./dashboard/open-dashboard.ts";
import { prepareDemo } from "./demo/prepare-demo.ts";
import { endProgress, showProgress } from "./demo/show-progress.ts";
import { describeStart } from "./describe-start.ts";
import { startInfrastructure } from "./infrastructure.ts";
import { homeFolder, pathOf, readOptions, UsageError, usage } from "./options.ts";
import { outwaitPredecessor } from "./outwait-predecessor.ts";
import { createServerReport } from "./report-server-events.ts";
import { startServices } from "./services.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** A stop that hangs is forced after this time (completions 1.1), unless SERVICE_STOP_SECONDS says otherwise. */
let stopWithinMs = 10_000;

let watchdog: Watchdog | null = null;
const cleanups: (() => Promise<void>)[] = [];
let stopping: Promise<void> | null = null;

process.once("SIGINT", () => void stop("Stopping ..."));
// A signal to the whole process group comes twice, by the launcher, too.
process.on("SIGTERM", () => void stop("Stopping ..."));
process.on("SIGHUP", () => {
  // The terminal may be gone.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  void stop("Stopping ...");
});
// npm start runs this process through a launcher. If the launcher dies, no terminal is left for Ctrl-C.
process.once("disconnect", () => void stop("The launcher is gone; stopping ..."));
process.on("unhandledRejection", (reason) => console.error("A promise was rejected and nobody handled it:", reason));

try {
  await start();
} catch (thrown) {
  if (stopping === null) {
    console.error(`\n${explain(thrown)}`);
    process.exitCode = thrown instanceof ConfigError || thrown instanceof UsageError ? 2 : 1;
    await stop(null);
  }
}

async function start(): Promise<void> {
  const startedMs = performance.now();
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return stop(null);
  }
  if (options.demo && process.env.SERVICE_AUTH === "enabled") {
    throw new UsageError(
      "--demo is for the default mode: with SERVICE_AUTH=enabled a project is made by who signs in.",
    );
  }
  // All settings, including those of single services: all mistakes are reported before anything is started.
  const { values, warnings } = loadSettings(Object.keys(settings) as SettingName[], process.env);
  const told = new Set<string>();
  const warn = (warning: string): void => {
    if (!told.has(warning)) console.warn(`Warning: ${warning}`);
    told.add(warning);
  };
  for (const warning of warnings) warn(warning);
  if (values.SERVICE_DB_PASSWORD !== undefined && values.SERVICE_DB_URL === undefined) {
    throw new ConfigError(["SERVICE_DB_PASSWORD: needs SERVICE_DB_URL"]);
  }
  const { listen, logLevel, tracing, stallAfterMs, ...stops } = readProcessConfig(values, { stopDefaultSeconds: 10 });
  stopWithinMs = stops.stopWithinMs;
  watchdog = startWatchdog({
    service: null,
    stopWithinMs,
    stallAfterMs,
    onFailure: () => console.warn("Warning: there is no watchdog; a blocked event loop will not end this process."),
  });

  const onWait = (): void => console.log("Another Touchstone seems to be stopping; waiting for it.");
  // Checked first: on an empty folder the rest takes seconds.
  await outwaitPredecessor(() => assertPortFree(listen), onWait);
  // In parallel with the start of the servers: nothing waits for a build.
  const openingDashboard = openDashboard({
    isWanted: values.SERVICE_DASHBOARD === "on",
    givenFolder: values.SERVICE_DASHBOARD_DIR === undefined ? null : pathOf(values.SERVICE_DASHBOARD_DIR),
    homeFolder: homeFolder(values.SERVICE_HOME),
    onProgress: (message) => console.log(message),
  });
  cleanups.push(async () => (await openingDashboard)?.stop());
  const infrastructure = await outwaitPredecessor(
    () =>
      startInfrastructure({
        homeFolder: homeFolder(values.SERVICE_HOME),
        databaseUrl: values.SERVICE_DB_URL?.reveal(),
        natsUrl: values.SERVICE_NATS_URL,
        natsUser: values.SERVICE_NATS_USER,
        natsPassword: values.SERVICE_NATS_PASSWORD?.reveal(),
        rootSecret: values.SERVICE_INTERNAL_SECRET?.reveal(),
        onProgress: (message) => console.log(message),
        onServerEvent: createServerReport({ write: (line) => console.error(line) }),
      }),
    onWait,
  );
  cleanups.push(infrastructure.stop);
  if (tracing !== null) {
    const logger = createLogger({ service: "standalone", level: logLevel });
    const { stop: stopTracing } = await startTracing(tracing, logger);
    cleanups.push(stopTracing);
  }
  console.log("Starting the services.");
  const demo = options.demo ? await prepareDemo(process.env) : null;
  const dashboard = await openingDashboard;
  const services = await startServices(demo?.environment ?? process.env, infrastructure, {
    dashboard,
    stopWithinMs,
    onWarning: warn,
  });
  cleanups.push(services.stop);
  await waitUntilReady(services.readiness);
  const apiKey = await services.readDefaultKey();
  const { address: ownAddress } = services;
  const sample =
    demo !== null && apiKey !== null
      ? await demo.load({ address: ownAddress, apiKey, onProgress: showProgress })
      : null;
  if (sample !== null) endProgress(sample.summary);
  const pages = dashboard === null ? null : (values.SERVICE_PUBLIC_URL ?? ownAddress);
  console.log(describeStart({ address: ownAddress, pages, apiKey, printKey: values.SERVICE_PRINT_KEY, sample }));
  console.log(`Started in ${((performance.now() - startedMs) / 1000).toFixed(1)} s. Press Ctrl-C to stop.`);
}

/** Stops everything that was started, once, in reverse order. */
function stop(message: string | null): Promise<void> {
  stopping ??= (async () => {
    if (message !== null) console.log(message);
    watchdog?.noteStop();
    setTimeout(() => {
      console.error("The stop took too long; exiting.");
      process.exit(1);
    }, stopWithinMs).unref();
    for (const cleanup of cleanups.splice(0).reverse()) {
      await cleanup().catch((error) => console.error("The stop was not clean:", error));
    }
    process.exit();
  })();
  return stopping;
}

/** One clear sentence for expected errors; full details for others. */
function explain(thrown: unknown): string {
  if (thrown instanceof EmbeddedServerError) return `${thrown.message} ${thrown.hint ?? ""}`.trim();
  const isForeseen = [ConfigError, StartError, UsageError].some((kind) => thrown instanceof kind);
  if (isForeseen || isAppError(thrown)) return (thrown as Error).message;
  return `Touchstone could not start: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
}
