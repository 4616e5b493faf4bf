import type { Answering, Bus } from "@touchstone/bus";
import { deadlines, readMembers, scoreMembers } from "@touchstone/contracts";
import type { Clock } from "@touchstone/service-kit";
import { findMembers, type MemberStores } from "./read-members.ts";
import { findGoodness, type ScoringDependencies } from "./score-members.ts";

/** Answers `svc.monitor.read-members.v1` (completions 4.4). */
export function answerReadMembers(
  bus: Bus,
  stores: MemberStores,
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    readMembers,
    async ({ projectId, members }) => ({ members: await findMembers(stores, projectId, members) }),
    options,
  );
}

/** The time between sending the reply and the requester's deadline, so that finished results arrive in time. */
const replyMarginMs = 1_000;

/**
 * Answers `svc.monitor.score-members.v1` (completions 4.4). It replies before the deadline, at most `deadlines.resultMs` from
 * now: members unfinished by then have no finding.
 */
export function answerScoreMembers(
  bus: Bus,
  { clock, ...dependencies }: ScoringDependencies & { clock: Clock },
  options: { concurrency: number },
): Promise<Answering> {
  return bus.answer(
    scoreMembers,
    async (body, { deadlineAtMs, signal }) => {
      const leftMs = Math.max(0, Math.min(deadlineAtMs - clock.now(), deadlines.resultMs));
      const timeUp = AbortSignal.timeout(Math.floor(leftMs - Math.min(replyMarginMs, leftMs / 4)));
      return { findings: await findGoodness(dependencies, body, AbortSignal.any([signal, timeUp])) };
    },
    options,
  );
}
