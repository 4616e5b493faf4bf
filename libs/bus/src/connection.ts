import { setImmediate as endOfTurn, setTimeout as sleep } from "node:timers/promises";
import { connect, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import type { ServiceName } from "@touchstone/contracts";
import { loadSettings, type NatsConfig, natsSettings, readNatsConfig } from "@touchstone/service-kit";
import { createBackOff } from "./back-off.ts";
import type { BusLogger } from "./bus-logger.ts";
import { serviceInbox } from "./subjects.ts";
import type { Encoded } from "./wire.ts";

/** The address of NATS and the credentials of a client. */
export interface Login {
  /** `nats://host:port` or `tls://host:port`; several servers of one cluster are separated by commas. */
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  /**
   * PEM files, read at each connection. Without them TLS is used only with `tls://` or if the server requires it, and
   * the system's authorities are trusted.
   */
  tls?: NatsConfig["tls"];
}

/** The login of the settings `SERVICE_NATS_*`; null without SERVICE_NATS_URL. Throws a ConfigError for bad settings. */
export function readLogin(environment: Readonly<Record<string, string | undefined>>): Login | null {
  const { values } = loadSettings(natsSettings, environment);
  if (values.SERVICE_NATS_URL === undefined) return null;
  const { url, user, password, tls } = readNatsConfig(values.SERVICE_NATS_URL, values);
  return { url, user, password: password?.reveal(), tls };
}

export interface ConnectionOptions extends Login {
  /** The service that connects: determines the inbox, the queue group and what the contracts allow. */
  service: ServiceName;
  logger: BusLogger;
}

/** A connection to NATS that is kept open. */
export interface Connection {
  /** The live connection, or null while NATS is unavailable. */
  current(): NatsConnection | null;
  /**
   * Calls `established` with the live connection, if any, and with every later one, so that everything bound to a
   * connection is set up again; `lost` after each loss. Returns the function that unsubscribes.
   */
  watch(watcher: { established?(nats: NatsConnection): void; lost?(): void }): () => void;
  /** Sends a message without waiting; false when there is no connection. */
  send(subject: string, message: Encoded, reply?: string): boolean;
  /**
   * Resolves with true when the server has read everything that was sent and has sent its replies; with false when the
   * connection was lost before, where the client's own promise would never settle.
   */
  flush(): Promise<boolean>;
  /** The live connection as soon as there is one; null once `signal` is aborted or the connection is closed. */
  untilConnected(signal?: AbortSignal): Promise<NatsConnection | null>;
  /** The message limit of the last connected server, headers included; unlimited before the first. */
  payloadLimitBytes(): number;
  /** Resolves when the first attempt to connect has ended, with or without success. */
  firstAttempt: Promise<void>;
  /** Sends buffered messages, within 2 s, and closes permanently. */
  close(): Promise<void>;
}

type Watcher = Parameters<Connection["watch"]>[0];

const attemptWithinMs = 5_000;
// A server that answers no ping is given up after two intervals: a frozen server or a cut cable sends no FIN.
const pingIntervalMs = 3_000;
const pingsUnansweredMax = 2;
const closeWithinMs = 2_000;
// A connection that lasted this long counts as good; the next failure starts a new outage.
const steadyAfterMs = 5_000;

/**
 * Connects, and reconnects without limit, with a capped back-off. The client's own reconnecting is disabled: it buffers
 * publishes while the server is unavailable and leaves open requests waiting. Here a loss ends the connection and
 * everything bound to it at once, and setup always happens on a new connection.
 */
export function keepConnected(options: ConnectionOptions): Connection {
  const { logger } = options;
  const closing = new AbortController();
  const watchers = new Set<Watcher>();
  let live: NatsConnection | null = null;
  const flushes = createFlushes(() => live);
  let payloadLimitBytes = Number.POSITIVE_INFINITY;
  let firstAttemptEnded = (): void => {};
  const firstAttempt = new Promise<void>((resolve) => {
    firstAttemptEnded = resolve;
  });

  void keep();

  async function keep(): Promise<void> {
    const backOff = createBackOff({ firstMs: 100, mostMs: 2_000 });
    let attempts = 0;
    while (!closing.signal.aborted) {
      attempts += 1;
      try {
        const nats = await connect(natsOptions(options, options.service));
        const connectedAtMs = Date.now();
        if (closing.signal.aborted) {
          await nats.close();
          return;
        }
        logger.info({ server: nats.getServer(), version: nats.info?.version, attempts }, "bus connected");
        attempts = 0;
        await liveUntilLost(nats);
        if (Date.now() - connectedAtMs >= steadyAfterMs) backOff.reset();
      } catch (err) {
        // One line per outage, not one per attempt.
        if (attempts === 1) logger.warn({ err }, "bus cannot reach NATS; trying again until it can");
      }
      firstAttemptEnded();
      await backOff.wait(closing.signal);
    }
  }

  async function liveUntilLost(nats: NatsConnection): Promise<void> {
    live = nats;
    payloadLimitBytes = nats.info?.max_payload ?? payloadLimitBytes;
    for (const watcher of watchers) watcher.established?.(nats);
    firstAttemptEnded();
    // The client closes itself after a disconnect, which ends this loop.
    for await (const status of nats.status()) {
      if (status.type === "error") logger.error({ err: status.error }, "NATS refused an operation of the bus");
      if (status.type === "disconnect") live = null;
      // By default the client would first send its buffer, which a frozen server never reads.
      if (status.type === "staleConnection") void nats.close();
    }
    live = null;
    flushes.fail();
    for (const watcher of watchers) watcher.lost?.();
    if (!closing.signal.aborted) logger.warn({ server: nats.getServer() }, "bus lost its connection to NATS");
  }

  return {
    current: () => live,
    watch(watcher) {
      watchers.add(watcher);
      if (live) watcher.established?.(live);
      return () => watchers.delete(watcher);
    },
    send(subject, { data, headers }, reply) {
      if (!live || live.isClosed()) return false;
      try {
        live.publish(subject, data, { headers, ...(reply === undefined ? {} : { reply }) });
        return true;
      } catch (err) {
        logger.warn({ err, operation: subject }, "bus could not send a message");
        return false;
      }
    },
    flush: flushes.flush,
    async untilConnected(signal) {
      if (live && !live.isClosed()) return live;
      const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      if (ended.aborted) return null;
      return await awaitNext(watchers, ended);
    },
    payloadLimitBytes: () => payloadLimitBytes,
    firstAttempt,
    async close() {
      closing.abort();
      firstAttemptEnded();
      const nats = live;
      live = null;
      if (!nats || nats.isClosed()) return;
      // A frozen server never answers the flush of a drain.
      await Promise.race([nats.drain().catch(() => {}), sleep(closeWithinMs, undefined, { ref: false })]);
      await nats.close();
    },
  };
}

/** The next connection; null once `ended` is aborted. */
function awaitNext(watchers: Set<Watcher>, ended: AbortSignal): Promise<NatsConnection | null> {
  return new Promise((resolve) => {
    const watcher = { established: (nats: NatsConnection) => settle(nats) };
    const onEnd = (): void => settle(null);
    function settle(nats: NatsConnection | null): void {
      watchers.delete(watcher);
      ended.removeEventListener("abort", onEnd);
      resolve(nats);
    }
    watchers.add(watcher);
    ended.addEventListener("abort", onEnd);
  });
}

interface Flushes extends Pick<Connection, "flush"> {
  /** Settles those that still wait: their connection was lost. */
  fail(): void;
}

function createFlushes(findLive: () => NatsConnection | null): Flushes {
  const flushing = new Set<(flushed: boolean) => void>();
  /** Flushes in one turn of the event loop share a round trip: everything they sent was sent before it. */
  let together: { nats: NatsConnection; flushed: Promise<boolean> } | null = null;

  async function flushNow(nats: NatsConnection): Promise<boolean> {
    if (findLive() !== nats || nats.isClosed()) return false;
    return await new Promise((resolve) => {
      const settle = (flushed: boolean): void => {
        flushing.delete(settle);
        resolve(flushed);
      };
      flushing.add(settle);
      nats.flush().then(
        () => settle(true),
        () => settle(false),
      );
    });
  }

  return {
    async flush() {
      const nats = findLive();
      if (!nats || nats.isClosed()) return false;
      if (together?.nats !== nats) {
        const flushed = endOfTurn().then(() => {
          if (together?.flushed === flushed) together = null;
          return flushNow(nats);
        });
        together = { nats, flushed };
      }
      return together.flushed;
    },
    fail() {
      for (const settle of flushing) settle(false);
    },
  };
}

/** Options of a connection that is not made again when it is lost. `name` also determines the inbox. */
export function natsOptions(options: Login, name: ServiceName | "operator"): NodeConnectionOptions {
  const urls = options.url.split(",").map((url) => new URL(url.trim()));
  const first = urls[0] as URL;
  const user = options.user ?? decodeURIComponent(first.username);
  const password = options.password ?? decodeURIComponent(first.password);
  return {
    servers: urls.map((url) => url.host),
    name,
    inboxPrefix: serviceInbox(name),
    reconnect: false,
    timeout: attemptWithinMs,
    pingInterval: pingIntervalMs,
    maxPingOut: pingsUnansweredMax,
    ...(user ? { user, pass: password } : {}),
    ...(options.tls || urls.some((url) => url.protocol === "tls:") ? { tls: options.tls ?? {} } : {}),
  };
}
