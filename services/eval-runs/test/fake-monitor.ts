import { connectBus } from "@touchstone/bus";
import { type KnownMember, readMembers } from "@touchstone/contracts";
import { expect } from "vitest";
import { until } from "./conditions.ts";
import { quiet } from "./start-eval-runs.ts";

/** A monitor that has the patterns and custom scorers a test tells it, for every project. */
export interface FakeMonitor {
  known: KnownMember[];
  /** Its requests, in order. */
  asked: { kind: string; refId: string }[][];
  stop(): Promise<void>;
}

export async function startFakeMonitor(natsUrl: string): Promise<FakeMonitor> {
  const bus = connectBus({ url: natsUrl, service: "monitor", logger: quiet });
  const fake: FakeMonitor = { known: [], asked: [], stop: () => bus.drain() };
  await bus.answer(
    readMembers,
    async ({ members }) => {
      fake.asked.push(members);
      const isAsked = (known: KnownMember) =>
        members.some(({ kind, refId }) => kind === known.kind && refId === known.refId);
      return { members: fake.known.filter(isAsked) };
    },
    { concurrency: 4 },
  );
  await until(() => expect(bus.status()).toBe("connected"));
  return fake;
}
