import { type Bus, type Call, connectBus } from "@touchstone/bus";
import { scoreResult } from "@touchstone/contracts";
import { expect } from "vitest";
import type { z } from "zod";
import { until } from "./conditions.ts";
import { quiet } from "./start-eval-runs.ts";

export type JudgeBody = z.output<typeof scoreResult.body>;
export type JudgeReply = z.input<typeof scoreResult.reply>;

/** A member of the judges' queue group that does as a test says. */
export interface FakeJudge {
  /** What it was asked, in order. */
  asked: JudgeBody[];
  /** How many requests are in its hands at this moment. */
  atWork(): number;
  /** From now on; by default every output is rated 7. */
  behave(behaviour: (body: JudgeBody, call: Call) => Promise<JudgeReply> | JudgeReply): void;
  bus: Bus;
  stop(): Promise<void>;
}

/** The reply of a judge that gives one rating and no metrics. */
export function rate(rating: number, justification = "Because."): JudgeReply {
  const verdict = { judgeId: "primary", model: "fake", durationMs: 1, reason: null };
  return { verdicts: [{ ...verdict, status: "scored", rating, justification }], similarity: {} };
}

export async function startFakeJudge(natsUrl: string, concurrency = 64): Promise<FakeJudge> {
  const bus = connectBus({ url: natsUrl, service: "judge", logger: quiet });
  const asked: JudgeBody[] = [];
  let working = 0;
  let behaviour: Parameters<FakeJudge["behave"]>[0] = () => rate(7);
  await bus.answer(
    scoreResult,
    async (body, call) => {
      asked.push(body);
      working += 1;
      try {
        return await behaviour(body, call);
      } finally {
        working -= 1;
      }
    },
    { concurrency },
  );
  await until(() => expect(bus.status()).toBe("connected"));
  return {
    asked,
    atWork: () => working,
    behave(next) {
      behaviour = next;
    },
    bus,
    stop: () => bus.drain(),
  };
}

/** What a skipped result has in every answer. */
export const skippedAs = (justification: string) => ({ status: "skipped", rating: null, justification });
