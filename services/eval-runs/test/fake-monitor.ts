import { connectBus } from "@touchstone/bus";
import { type KnownMember, readMembers } from "@touchstone/contracts";
import type { AppError } from "@touchstone/service-kit";
import { expect } from "vitest";
import { until } from "./conditions.ts";
import { quiet } from "./start-eval-runs.ts";

/** A monitor that has the patterns and custom scorers a test tells it, for every project. */
export interface FakeMonitor {
  known: KnownMember[];
  /** It refuses requests with this error; null = it answers them. */
  refusal: AppError | null;
  /** Its requests, in order. */
  asked: { kind: string; refId: string }[][];
  stop(): Promise<void>;
}

export async function startFakeMonitor(natsUrl: string): Promise<FakeMonitor> {
  const bus = connectBus({ url: natsUrl, service: "monitor", logger: quiet });
  const fake: FakeMonitor = { known: [], refusal: null, asked: [], stop: () => bus.drain() };
  await bus.answer(
    readMembers,
    async ({ members }) => {
      fake.asked.push(members);
      if (fake.refusal !== null) throw fake.refusal;
      const isAsked = (known: KnownMember) =>
        members.some(({ kind, refId }) => kind === known.kind && refId === known.refId);
      return { members: fake.known.filter(isAsked) };
    },
    { concurrency: 4 },
  );
  await until(() => expect(bus.status()).toBe("connected"));
  return fake;
}
