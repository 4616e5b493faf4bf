import { setTimeout as sleep } from "node:timers/promises";
import { authConfig, deadlines, routes } from "@touchstone/contracts";
import type { InternalClient } from "@touchstone/service-kit";

export interface AnnounceKeyOptions {
  auth: InternalClient;
  /** False shortens the key to its first 8 characters (decisions: Startup key line). */
  printsWholeKey: boolean;
  print: (line: string) => void;
  signal: AbortSignal;
}

const retryMs = 500;

/**
 * Prints `Default project API key: <key>` once, as soon as auth can say it. This is output for the operator who started
 * the system, on every boot (interface: Authentication); it goes nowhere near the logger.
 */
export async function announceKey({ auth, printsWholeKey, print, signal }: AnnounceKeyOptions): Promise<void> {
  while (!signal.aborted) {
    const apiKey = await askKey(auth, signal).catch(() => null);
    if (apiKey !== null) {
      print(`Default project API key: ${printsWholeKey ? apiKey : `${apiKey.slice(0, 8)}...`}`);
      return;
    }
    await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function askKey(auth: InternalClient, signal: AbortSignal): Promise<string | null> {
  const { method, path } = routes.getAuthConfig;
  const { status, body } = await auth.forward({
    method,
    path,
    claims: { projectId: null, organizationId: null, userId: null, role: null, requestId: "start" },
    deadlineMs: deadlines.keyLookupMs,
    signal,
  });
  const answered = await body.json();
  return status === 200 ? authConfig.parse(answered).apiKey : null;
}
