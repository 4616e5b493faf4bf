import { EmbeddedServerError } from "./embedded-server-error.ts";
import { explainingFileFailures } from "./explain-file-failure.ts";
import { type GuardedProcess, startGuardian } from "./guardian.ts";
import { type HomeFolders, prepareHomeFolders } from "./home-folder.ts";
import { lockHome } from "./home-lock.ts";
import { chooseServerAccount, type ServerAccount } from "./server-account.ts";

/** The folder of a standalone Touchstone, locked for this process. Servers are started in it. */
export interface TouchstoneHome {
  readonly folders: HomeFolders;
  /** The account of the servers, when we are root. */
  readonly account: ServerAccount | null;
  readonly onProgress: (message: string) => void;
  /** Aborted by `close`; ends the wait for a server to get ready. */
  readonly closing: AbortSignal;
  /** Runs the start of a server, which `close` then waits for, so that it stops every server. */
  start<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Registers a process to be stopped when this one is killed; null when it no longer runs. */
  guard(name: string, process: GuardedProcess | null): Promise<void>;
  /** The actions of `close`, in reverse order. */
  beforeClose(stop: () => Promise<void>): void;
  /**
   * Stops every server that runs or starts, the last one started first, and unlocks the folder. May be called at any
   * time and any number of times.
   */
  close(): Promise<void>;
}

/**
 * Opens a folder as the home of this process: creates it, checks that others cannot change it, chooses the account of
 * the servers, and locks it. Fails with `already_running` while another process has the lock.
 */
export async function openHome({
  folder,
  serverUid,
  elsewhere,
  onProgress,
}: {
  folder: string;
  /** Replaces the dedicated user id of the servers when we are root. */
  serverUid?: number | undefined;
  /** Replaces /var/lib/touchstone as the folder for servers whose account cannot enter `folder`. */
  elsewhere?: string | undefined;
  onProgress: (message: string) => void;
}): Promise<TouchstoneHome> {
  if (process.getuid === undefined) {
    throw new EmbeddedServerError("binary_missing", "The embedded servers do not run on Windows.", {
      hint: "Set SERVICE_DB_URL and SERVICE_NATS_URL to servers of your own, or use WSL.",
    });
  }
  const account = await chooseServerAccount({ uid: serverUid });
  const { folders, unlock } = await explainingFileFailures(folder, async () => {
    const prepared = await prepareHomeFolders({ folder, account, elsewhere, onProgress });
    return { folders: prepared, unlock: await lockHome(prepared.servers, { name: prepared.home }) };
  });
  const guardian = startGuardian();
  const guarded = new Map<string, GuardedProcess>();
  const starting = new Set<Promise<unknown>>();
  const stops: (() => Promise<void>)[] = [];
  const closing = new AbortController();
  let closed: Promise<void> | null = null;

  const close = async () => {
    closing.abort();
    try {
      await Promise.allSettled(starting);
      for (const stop of stops.splice(0).reverse()) await stop();
    } finally {
      guardian.dismiss();
      unlock();
    }
  };

  return {
    folders,
    account,
    onProgress,
    closing: closing.signal,
    async start(work) {
      if (closing.signal.aborted) throw new Error("The home is closed.");
      const started = explainingFileFailures(folders.home, work);
      starting.add(started);
      return started.finally(() => starting.delete(started));
    },
    async guard(name, process) {
      if (process === null) guarded.delete(name);
      else guarded.set(name, process);
      await guardian.watch([...guarded.values()]);
    },
    beforeClose(stop) {
      stops.push(stop);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}
