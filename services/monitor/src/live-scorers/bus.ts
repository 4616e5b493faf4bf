import type { Answering, Bus, Consuming } from "@touchstone/bus";
import { keepLiveScorers, type LiveScorers, liveScorersChanged } from "@touchstone/contracts";
import type { JudgeMeanwhile } from "./judge-meanwhile.ts";
import type { LiveScorerStore } from "./live-scorer-store.ts";

/** Consumes `event.live-scorers.changed.v1`: stores the live scorers with the greatest revision. */
export function consumeLiveScorersChanged(bus: Bus, { keep }: { keep: KeepLiveScorers }): Promise<Consuming> {
  return bus.consume(liveScorersChanged, { durable: "monitor-live-scorers-changed" }, keep);
}

/** Answers `svc.monitor.keep-live-scorers.v1`: after the reply the announced scorers are in force (decision 42). */
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

/** Stores a project's announced live scorers. Idempotent, and independent of the channel. */
export type KeepLiveScorers = (told: LiveScorers) => Promise<void>;

export function createKeepLiveScorers(options: {
  liveScorers: Pick<LiveScorerStore, "put">;
  judgeMeanwhile: JudgeMeanwhile;
}): KeepLiveScorers {
  return async (told) => {
    await options.liveScorers.put(told);
    // Afterwards, so that traces settling from now on are planned with the stored scorers.
    await options.judgeMeanwhile(told);
  };
}
