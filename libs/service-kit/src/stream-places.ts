import { AppError } from "./app-error.ts";
import { createFairShare, type FairShare, type ShareUnit, type Tenant } from "./fair-share.ts";
import type { PassedStream } from "./pass-stream.ts";

/** Limits streamed answers, such as server-sent events and exports. */
export interface StreamPlaces {
  /**
   * Takes a slot for a streamed answer. If none is free, the tenant that holds most loses its oldest stream,
   * server-sent events first, because their reader reconnects and misses nothing. Throws 429 if the tenant's own share
   * is used up, 503 if it holds none and no other tenant holds more than one.
   */
  take(tenant: Tenant): StreamPlace;
  readonly share: FairShare;
}

/** Must be released when the answer is over, or when there is none. */
export interface StreamPlace {
  /** The stream that takes the slot; from now on it may be ended for another tenant. */
  fill(stream: PassedStream): void;
  leave(): void;
}

export interface StreamPlacesOptions {
  placesMax: number;
  /** Of one project. */
  projectMax?: number;
  /** The kind of stream and the server, for messages: `stream`, `this gateway`. */
  what: string;
  where: string;
}

/** For a client whose share is used up. */
const retryAfterSeconds = 5;

interface Place {
  tenant: Tenant;
  amount: 1;
  /** Null until the answer begins. */
  stream: PassedStream | null;
}

export function createStreamPlaces(options: StreamPlacesOptions): StreamPlaces {
  const { placesMax, projectMax = Number.POSITIVE_INFINITY, what, where } = options;
  const share = createFairShare({ total: placesMax, projectMax });
  // The oldest first.
  const taken = new Set<Place>();

  function leave(place: Place): void {
    if (taken.delete(place)) share.hold(place.tenant, -1);
  }

  /** Ends a stream of a tenant that holds more. False if there is none. */
  function makeRoom(tenant: Tenant): boolean {
    const begun = [...taken].filter(({ stream }) => stream !== null);
    const byKind = Map.groupBy(begun, ({ stream }) => stream?.isEvents === true);
    const [victim] = share.toMakeRoom(tenant, 1, [...(byKind.get(true) ?? []), ...(byKind.get(false) ?? [])]) ?? [];
    if (victim === undefined) return false;
    share.counts.taken_back += 1;
    leave(victim);
    closeStream(victim.stream as PassedStream);
    return true;
  }

  function refusal(tenant: Tenant, obstacle: ShareUnit): AppError {
    const held = share.heldBy(tenant);
    const tooMany = (why: string) =>
      new AppError("rate_limited", `Too many open ${what}s: ${why}.`, { retryAfterSeconds });
    if (isAtMax(tenant)) return tooMany(`a project may have ${projectMax}`);
    const whose = obstacle === "project" || tenant.organizationId === null ? "project" : "organization";
    if (held[whose] > 0) return tooMany(`the ${whose} has its share, ${held[whose]} of the ${placesMax} of ${where}`);
    return new AppError("service_unavailable", `There is no room for another ${what} at ${where}; retry.`);
  }

  const isAtMax = (tenant: Tenant): boolean => share.heldBy(tenant).project >= projectMax;

  return {
    share,
    take(tenant) {
      const obstacle = share.obstacleTo(tenant, 1);
      if (obstacle !== null && (isAtMax(tenant) || !makeRoom(tenant))) {
        share.counts[`refused_${obstacle}`] += 1;
        throw refusal(tenant, obstacle);
      }
      const place: Place = { tenant, amount: 1, stream: null };
      taken.add(place);
      share.hold(tenant, 1);
      return {
        fill(stream) {
          place.stream = stream;
        },
        leave: () => leave(place),
      };
    },
  };
}

/** Ends a stream early. Events may end anywhere; an export that just ended would look complete. */
export function closeStream(stream: PassedStream): void {
  if (stream.isEvents) stream.end();
  else stream.destroy();
}
