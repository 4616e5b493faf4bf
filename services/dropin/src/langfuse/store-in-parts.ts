import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, limits, type Route } from "@touchstone/contracts";
import { type Call, isAppError } from "@touchstone/service-kit";
import type { Owner } from "../owner.ts";

/** An item to store, and the id under which the client hears about it. */
export interface Part<Item> {
  eventId: string;
  item: Item;
}

/**
 * Stores the items in as few requests as possible. The owner refuses a list whole for one bad item: then each half is tried
 * by itself. `store` returns the errors of single items.
 */
export async function storeInParts<Item>(
  parts: readonly Part<Item>[],
  blame: (eventId: string, message: string) => void,
  store: (items: readonly Item[]) => Promise<readonly (string | undefined)[]>,
): Promise<void> {
  if (parts.length === 0) return;
  const half = Math.ceil(parts.length / 2);
  const inHalves = async (): Promise<void> => {
    await storeInParts(parts.slice(0, half), blame, store);
    await storeInParts(parts.slice(half), blame, store);
  };
  if (parts.length > limits.spanUpdatesMax) return await inHalves();
  try {
    const errors = await store(parts.map(({ item }) => item));
    for (const [index, error] of errors.entries()) if (error !== undefined) blame(parts[index]?.eventId ?? "", error);
  } catch (thrown) {
    if (!isAppError(thrown) || thrown.code !== "bad_request") throw thrown;
    const [only, ...more] = parts;
    if (more.length > 0) return await inHalves();
    blame(only?.eventId ?? "", thrown.message);
  }
}

/** How often a full queue is asked before the request is refused: on 429 clients try for two seconds, then drop. */
const attemptsMax = 4;
const pauseMs = 600;
/** Refusals that pass, if they say that it takes no longer. */
const passing: ReadonlySet<ErrorCode> = new Set(["queue_full", "rate_limited", "service_unavailable"]);

/**
 * Asks an owner, again while it answers that it takes nothing at the moment. A request without an answer is not
 * repeated: it may still be stored.
 */
export async function askPatiently(owner: Owner, route: Route, call: Call, body: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await owner.ask(route, call, { body });
    } catch (thrown) {
      const isFull = isAppError(thrown) && passing.has(thrown.code);
      const isShort = isFull && (thrown.retryAfterSeconds ?? Infinity) * 1000 <= attemptsMax * pauseMs;
      if (!isShort || attempt === attemptsMax) throw thrown;
      // A client that left during the pause is answered like one that waited.
      await sleep(pauseMs, undefined, { signal: call.signal }).catch(() => Promise.reject(thrown));
    }
  }
}
