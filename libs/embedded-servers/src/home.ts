import { explainingFileFailures } from "./explain-file-failure.ts";
import { type GuardedProcess, startGuardian } from "./guardian.ts";
import { type HomeFolders, prepareHomeFolders } from "./home-folder.ts";
import { lockHome } from "./home-lock.ts";
import { chooseServerAccount, type ServerAccount } from "./server-account.ts";

/** The folder of a standalone Touchstone, locked for this process. Servers are started in it. */
export interface TouchstoneHome {
  readonly folders: HomeFolders;
  /** Whom the servers run as, when we are root. */
  readonly account: ServerAccount | null;
  readonly onProgress: (message: string) => void;
  /** Has a server stopped when this process is killed; null when it no longer runs. */
  guard(name: string, process: GuardedProcess | null): Promise<void>;
  /** What `close` does first, the last one added first. */
  beforeClose(stop: () => Promise<void>): void;
  /** Stops every server that still runs, the last one started first, and unlocks the folder. May be called twice. */
  close(): Promise<void>;
}

/**
 * Takes a folder as the home of this process: makes it, checks who else can change it, chooses the account of the
 * servers, and locks it. Fails with `already_running` while another process has it.
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
  /** Replaces /var/lib/touchstone as the place for servers whose account cannot enter `folder`. */
  elsewhere?: string | undefined;
  onProgress: (message: string) => void;
}): Promise<TouchstoneHome> {
  const account = await chooseServerAccount({ uid: serverUid });
  const { folders, unlock } = await explainingFileFailures(folder, async () => {
    const prepared = await prepareHomeFolders({ folder, account, elsewhere, onProgress });
    return { folders: prepared, unlock: await lockHome(prepared.servers, { name: prepared.home }) };
  });
  const guardian = startGuardian();
  const guarded = new Map<string, GuardedProcess>();
  const stops: (() => Promise<void>)[] = [];
  let closing: Promise<void> | null = null;

  const close = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
    guardian.dismiss();
    unlock();
  };

  return {
    folders,
    account,
    onProgress,
    async guard(name, process) {
      if (process === null) guarded.delete(name);
      else guarded.set(name, process);
      await guardian.watch([...guarded.values()]);
    },
    beforeClose(stop) {
      stops.push(stop);
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}
