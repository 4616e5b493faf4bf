import type { Bus, Consuming } from "@touchstone/bus";
import { liveScorersChanged } from "@touchstone/contracts";
import type { LiveScorerStore } from "../live-scorers/live-scorer-store.ts";

/** Consumes `event.live-scorers.changed.v1`: keeps what judges live traffic, by the greatest revision. */
export function consumeLiveScorersChanged(
  bus: Bus,
  { liveScorers }: { liveScorers: Pick<LiveScorerStore, "put"> },
): Promise<Consuming> {
  return bus.consume(liveScorersChanged, { durable: "monitor-live-scorers-changed" }, (told) => liveScorers.put(told));
}
