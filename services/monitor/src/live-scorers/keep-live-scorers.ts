import type { LiveScorers } from "@touchstone/contracts";
import type { JudgeMeanwhile } from "./judge-meanwhile.ts";
import type { LiveScorerStore } from "./live-scorer-store.ts";

/** Takes note of what judges a project's live traffic, by whichever way it was told, and as often as it is. */
export type KeepLiveScorers = (told: LiveScorers) => Promise<void>;

export function createKeepLiveScorers(options: {
  liveScorers: Pick<LiveScorerStore, "put">;
  judgeMeanwhile: JudgeMeanwhile;
}): KeepLiveScorers {
  return async (told) => {
    await options.liveScorers.put(told);
    // Afterwards: what settles from now on is planned by what was just put.
    await options.judgeMeanwhile(told);
  };
}
