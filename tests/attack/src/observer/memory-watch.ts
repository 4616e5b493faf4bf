import { listProcessTree, readResidentBytes, signalTree } from "../../../chaos/src/process-tree.ts";

/** The resident memory of one process, read periodically. */
export interface MemoryWatch {
  /** Watches this process from now on; the peak is kept. */
  watch(pid: number): void;
  /** Reads the memory now and resets the peak; returns MB. */
  restart(): Promise<number>;
  /** In MB; 0 while the process is not running. */
  read(): { nowMb: number; peakMb: number };
}

const everyMs = 200;
/** Protects the machine: an installation above this size is killed with all its processes. */
const killAboveMb = 4_500;

/** Starts watching; ends with the process. */
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
