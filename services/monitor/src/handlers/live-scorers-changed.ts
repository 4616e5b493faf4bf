import type { Bus, Consuming } from "@touchstone/bus";
import { liveScorersChanged } from "@touchstone/contracts";
import type { KeepLiveScorers } from "../live-scorers/keep-live-scorers.ts";

/** Consumes `event.live-scorers.changed.v1`: keeps what judges live traffic, by the greatest revision. */
export function consumeLiveScorersChanged(bus: Bus, { keep }: { keep: KeepLiveScorers }): Promise<Consuming> {
  return bus.consume(liveScorersChanged, { durable: "monitor-live-scorers-changed" }, keep);
}
