import type { ServerResponse } from "node:http";
import { limits } from "@touchstone/contracts";
import {
  AppError,
  closeStream,
  createStreamPlaces,
  type FairShare,
  type PassedStream,
  type StreamPlace,
  type Tenant,
  untraced,
} from "@touchstone/service-kit";

export interface OpenStreams {
  /**
   * Reserves a place for a stream, before the owner is asked. Throws 429 if its tenant's share is used up, 503 if no
   * place is left or the gateway is stopping.
   */
  admit(tenant: Tenant): StreamPlace;
  /** Watches a stream until its answer ends. */
  hold(stream: PassedStream, response: ServerResponse, key: StreamKey): void;
  readonly share: FairShare;
  /** Checks at once whether the keys of a project's streams are still valid. */
  recheck(projectId: string): Promise<void>;
  /** Ends server-sent events: their readers reconnect elsewhere. Other streams run to their end. */
  drain(): void;
}

/** The key under which a stream was opened. */
export interface StreamKey {
  projectId: string;
  /** True if the key still has access to the project; rejects if auth is unavailable. */
  isGood(): Promise<boolean>;
}

export interface OpenStreamsOptions {
  streamsMax?: number;
  /** How often keys are checked again, for a gateway that missed the revocation. */
  recheckMs: number;
}

/** How long a stream lives while auth cannot check its key: as long as any request does. */
const withoutAuthMs = 60_000;

interface Held {
  stream: PassedStream;
  key: StreamKey;
  confirmedAtMs: number;
}

/**
 * Open long answers: server-sent events and exports. A revoked key ends them within 5 s (completions 1.8): at once with
 * the event, else at the next check.
 */
export function createOpenStreams({ streamsMax = limits.streamsMax, recheckMs }: OpenStreamsOptions): OpenStreams {
  const places = createStreamPlaces({ placesMax: streamsMax, what: "stream", where: "this gateway" });
  const held = new Set<Held>();
  let isDraining = false;
  let timer: NodeJS.Timeout | null = null;

  async function check(one: Held): Promise<void> {
    const askedAtMs = performance.now();
    const isGood = await one.key.isGood().catch(() => null);
    if (isGood === true) one.confirmedAtMs = askedAtMs;
    const isForgotten = isGood === null && askedAtMs - one.confirmedAtMs > withoutAuthMs;
    if (isGood === false || isForgotten) closeStream(one.stream);
  }

  return {
    share: places.share,
    admit(tenant) {
      if (isDraining) throw new AppError("service_unavailable", "This gateway is stopping; retry.");
      return places.take(tenant);
    },
    hold(stream, response, key) {
      const one: Held = { stream, key, confirmedAtMs: performance.now() };
      held.add(one);
      // It checks all streams, and outlives the request of the first one.
      timer ??= untraced(() =>
        setInterval(() => {
          for (const each of held) void check(each);
        }, recheckMs),
      );
      response.once("close", () => {
        held.delete(one);
        if (held.size > 0 || timer === null) return;
        clearInterval(timer);
        timer = null;
      });
      if (isDraining && stream.isEvents) stream.end();
    },
    async recheck(projectId) {
      await Promise.all([...held].filter(({ key }) => key.projectId === projectId).map(check));
    },
    drain() {
      isDraining = true;
      for (const { stream } of held) if (stream.isEvents) stream.end();
    },
  };
}
