import { setTimeout as sleep } from "node:timers/promises";
import { deadlines, internalRoutes } from "@touchstone/contracts";
import type { InternalClient } from "@touchstone/service-kit";

export interface AnnounceKeyOptions {
  auth: InternalClient;
  /** False shortens the key to its first 8 characters (completions 1.1). */
  printsWholeKey: boolean;
  print: (line: string) => void;
  signal: AbortSignal;
}

const retryMs = 500;

/**
 * Prints `Default project API key: <key>` once, as soon as auth returns it; nothing if there is no default project.
 * This is output for the operator who started the system, on every boot (interface: Authentication); it never goes to
 * the logger.
 */
export async function announceKey({ auth, printsWholeKey, print, signal }: AnnounceKeyOptions): Promise<void> {
  while (!signal.aborted) {
    const answer = await askKey(auth).catch(() => null);
    if (answer !== null) {
      const { apiKey } = answer;
      if (apiKey !== null) print(`Default project API key: ${printsWholeKey ? apiKey : `${apiKey.slice(0, 8)}...`}`);
      return;
    }
    await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

function askKey(auth: InternalClient): Promise<{ apiKey: string | null }> {
  return auth.call(internalRoutes.readDefaultKey, {}, { requestId: "start", deadlineMs: deadlines.keyLookupMs });
}
