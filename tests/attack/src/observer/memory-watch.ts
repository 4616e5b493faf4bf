import { listProcessTree, readResidentBytes, signalTree } from "../../../chaos/src/process-tree.ts";

/** Resident memory of one process, read again and again. */
export interface MemoryWatch {
  /** Watches this process from now on; the peak stays. */
  watch(pid: number): void;
  /** Reads it now and forgets the peak; answers MB. */
  restart(): Promise<number>;
  /** In MB; 0 while the process is not there. */
  read(): { nowMb: number; peakMb: number };
}

const everyMs = 200;
/** No installation may take the machine with it: above this it is killed, with everything it started. */
const killAboveMb = 4_500;

/** Starts to watch; it ends with the process. */
export function startMemoryWatch(firstPid: number): MemoryWatch {
  let pid = firstPid;
  let [nowMb, peakMb] = [0, 0];
  let isKilled = false;

  async function look(): Promise<void> {
    const looked = pid;
    const bytes = await readResidentBytes(looked).catch(() => Number.NaN);
    if (looked !== pid) return;
    nowMb = Number.isNaN(bytes) ? 0 : bytes / 1024 / 1024;
    peakMb = Math.max(peakMb, nowMb);
    if (nowMb <= killAboveMb || isKilled) return;
    isKilled = true;
    if ((await listProcessTree(looked)).length > 0) await signalTree(looked, "SIGKILL");
  }
  setInterval(look, everyMs);

  return {
    watch(next) {
      pid = next;
      isKilled = false;
      nowMb = 0;
    },
    async restart() {
      await look();
      peakMb = nowMb;
      return nowMb;
    },
    read: () => ({ nowMb, peakMb }),
  };
}
