import type { Answering, Bus } from "@touchstone/bus";
import { keepLiveScorers } from "@touchstone/contracts";
import type { KeepLiveScorers } from "../live-scorers/keep-live-scorers.ts";

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
