import type { JudgedTrace, scoreResult } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";
import type { Check, CheckOutcome, DueCheck } from "../src/checks/check.ts";
import { createCheckStore } from "../src/checks/check-store.ts";
import { createLiveBudget } from "../src/judging/live-budget-store.ts";
import { createLiveJudge } from "../src/judging/live-judge.ts";
import type { MemberScorers } from "../src/judging/member-scorer.ts";
import { createGroupCheck } from "../src/live-scorers/group-check.ts";
import { createJudgeCheck } from "../src/live-scorers/judge-check.ts";
import type { LiveScorerStore } from "../src/live-scorers/live-scorer-store.ts";
import { createFindingStore } from "../src/signals/finding-store.ts";
import { createVerdictExports } from "../src/verdicts/otlp-export/verdict-queue-store.ts";
import { buildTrace, buildVerdict } from "./judging-builders.ts";

type Asked = z.input<typeof scoreResult.body>;
type Reply = z.output<typeof scoreResult.reply>;

/** The judge's answers, and the requests it received. */
export interface ScriptedJudge {
  reply?: Partial<Reply> | Error;
  callsPerDay?: number | null;
  trace?: Partial<JudgedTrace> | null;
  memberScorers?: MemberScorers;
  /** Verdicts leave as telemetry. */
  isExporting?: boolean;
}

/** One replica's checks before a scripted judge. */
export function buildScriptedChecks(
  { database, liveScorers }: { database: Database; liveScorers: LiveScorerStore },
  options: ScriptedJudge,
) {
  const { reply = { verdicts: [buildVerdict()] }, callsPerDay = null, trace = {} } = options;
  const { memberScorers = {}, isExporting = false } = options;
  const asked: Asked[] = [];
  const request = async (_: unknown, body: Asked): Promise<Reply> => {
    asked.push(body);
    if (reply instanceof Error) throw reply;
    return { verdicts: [], similarity: {}, group: null, deterministic: [], ...reply };
  };
  const dependencies = {
    database: database,
    liveScorers,
    ingest: {
      readTrace: async (_: string, traceId: string) => (trace === null ? null : buildTrace({ traceId, ...trace })),
      readTurns: async () => [
        { query: "Hello", actualOutput: "Hi", error: null, traceId: "t1" },
        { query: "Bye", actualOutput: "Go", error: null, traceId: "t2" },
      ],
    },
    judge: createLiveJudge({
      bus: { request } as never,
      budget: createLiveBudget({ database: database, callsPerDay }),
    }),
    findings: createFindingStore({ publicAddress: null }),
    verdictExports: createVerdictExports({ isExporting }),
    memberScorers,
  };
  return { asked, judge: createJudgeCheck(dependencies), group: createGroupCheck(dependencies) };
}

/** Runs the planned checks of a project, like a worker; returns the outcomes. */
export async function carryOutPlanned(
  store: { database: Database; maintenance: Database },
  { projectId, checks, attempt }: { projectId: string; checks: readonly Check[]; attempt: number },
): Promise<CheckOutcome[]> {
  const checkStore = createCheckStore(store);
  const taken = await checkStore.take({
    token: crypto.randomUUID(),
    count: 100,
    perProject: 100,
    inHand: new Map(),
    kinds: checks.map(({ kind }) => kind),
    after: "00000000-0000-0000-0000-000000000000",
    lease: { ms: 60_000, backOffMs: [1] },
  });
  const outcomes: CheckOutcome[] = [];
  for (const check of taken.filter((each) => each.projectId === projectId)) {
    const kind = checks.find((each) => each.kind === check.kind) as Check;
    const outcome = await kind.carryOut({ ...check, attempt } satisfies DueCheck, new AbortController().signal);
    outcomes.push(outcome);
    if (outcome.outcome === "done") {
      await checkStore.settle(check, { outcome: "done", reason: null }, outcome.record);
    } else {
      await checkStore.putBack(check, { reason: outcome.reason, delayMs: 0, isCounted: true });
    }
  }
  return outcomes;
}
