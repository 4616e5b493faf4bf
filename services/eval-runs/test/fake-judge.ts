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
  /** Its requests, in order. */
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

/** The fields of a skipped result in every answer. */
export const skippedAs = (justification: string) => ({ status: "skipped", rating: null, justification });

/**
 * The reply of a judge that answers everything: each rubric by its name (null = skipped), each deterministic scorer
 * with 1, and a group with the plain mean of its judges, or the given score.
 */
export function answerAll(
  body: JudgeBody,
  ratings: Readonly<Record<string, number | null>>,
  groupScore?: Partial<NonNullable<JudgeReply["group"]>>,
): JudgeReply {
  const verdicts = body.judges.map(({ id, name }) => {
    const rating = ratings[name ?? id] ?? null;
    const spoken = { judgeId: id, model: "fake", durationMs: 1, rating };
    return rating === null
      ? { ...spoken, status: "skipped" as const, justification: `${name} cannot say.`, reason: "no_key" as const }
      : { ...spoken, status: "scored" as const, justification: `${name} says ${rating}.`, reason: null };
  });
  const rated = verdicts.flatMap(({ rating }) => (rating === null ? [] : [rating]));
  const mean = rated.length === 0 ? null : rated.reduce((sum, rating) => sum + rating, 0) / rated.length;
  const { codeScorers, trajectoryMatch, contextMatch } = body.deterministic;
  const names = [
    ...codeScorers.map(({ name }) => name),
    ...(trajectoryMatch === null ? [] : ["Trajectory match"]),
    ...(contextMatch === null ? [] : ["Context match"]),
  ];
  return {
    verdicts,
    similarity: {},
    group: body.group && {
      rating: mean,
      justification: `The mean of ${rated.length}.`,
      reason: mean === null ? "no_score" : null,
      gatedBy: null,
      ...groupScore,
    },
    deterministic: names.map((name) => ({ name, score: 1 })),
  };
}
