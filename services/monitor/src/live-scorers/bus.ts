import type { Answering, Bus, Consuming } from "@touchstone/bus";
import { keepLiveScorers, type LiveScorers, liveScorersChanged } from "@touchstone/contracts";
import type { JudgeMeanwhile } from "./judge-meanwhile.ts";
import type { LiveScorerStore } from "./live-scorer-store.ts";

/** Consumes `event.live-scorers.changed.v1`: keeps what judges live traffic, by the greatest revision. */
export function consumeLiveScorersChanged(bus: Bus, { keep }: { keep: KeepLiveScorers }): Promise<Consuming> {
  return bus.consume(liveScorersChanged, { durable: "monitor-live-scorers-changed" }, keep);
}

/** Answers `svc.monitor.keep-live-scorers.v1`: with the reply, what was told is what judges (decision 42). */
export function answerKeepLiveScorers(
  bus: Bus,
  { keep }: { keep: KeepLiveScorers },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    keepLiveScorers,
    async (told) => {
      await keep(told);
      return {};
    },
    options,
  );
}

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
