import { setTimeout as sleep } from "node:timers/promises";
import type { Bus } from "@touchstone/bus";
import type { KnownMember, ScriptTrace, scoreMembers } from "@touchstone/contracts";
import { isAppError, type Logger } from "@touchstone/service-kit";
import type { z } from "zod";
import type { AskEvaluator } from "../custom-evaluators/ask-evaluator.ts";
import { type AskedTrace, findingOf, goodnessOf } from "../custom-evaluators/evaluator.ts";
import type { IngestClient } from "../ingest-client.ts";
import { UnavailableError } from "../judging/member-scorer.ts";
import { askJudge, JudgeUnavailableError } from "../patterns/ask-judge.ts";
import type { DecideSemantic } from "../patterns/matching/evaluate-conditions.ts";
import { goodnessByBuiltin, goodnessByPattern, overranMember } from "../patterns/matching/goodness.ts";
import { NoThreadError, OverrunError, type PatternMatcher } from "../patterns/matching/pattern-matcher.ts";
import { readTraceTexts } from "../patterns/matching/trace-texts.ts";
import { UndecidedError } from "../patterns/matching/undecided-error.ts";
import { evaluatorDefinition, patternDefinition } from "./member-definition.ts";

export interface ScoringDependencies {
  ingest: Pick<IngestClient, "readTraceForScripts">;
  askEvaluator: AskEvaluator;
  matcher: PatternMatcher;
  bus: Bus;
  logger: Logger;
}

export type MembersToScore = z.output<typeof scoreMembers.body>;
type Finding = z.output<typeof scoreMembers.reply>["findings"][number];

/** Members of one result scored at the same time: a group of fifty external scorers must not open fifty connections. */
const atOnceMax = 8;
/** The longest wait for an unavailable scoring service: a rolling restart of the judges. */
const outageMs = 30_000;
const outagePauseMs = 500;

const nothing = (because: string): Finding => ({ goodness: null, because });

/**
 * The findings of the members in one result, in request order. A member that fails, or is unfinished when `signal` is aborted
 * at the deadline, has no finding and does not affect the others. Nothing is stored: the same request may be repeated.
 */
export async function findGoodness(
  dependencies: ScoringDependencies,
  asked: MembersToScore,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { bus, ingest, askEvaluator, matcher, logger } = dependencies;
  const { projectId, organizationId, members, case: judged, verdictMode } = asked;
  const { input, output, error, toolCalls } = judged;
  const checked = readTraceTexts({ input, output, error, trajectory: { toolCalls } });
  const scored = { checked, matcher, projectId, signal };
  const decide = verdictMode === "replay" ? neverAsked : askJudge(bus, { projectId, organizationId }, signal);
  let reading: Promise<AskedTrace> | null = null;

  /** Read once; all members share the result. */
  function readAsked(): Promise<AskedTrace> {
    reading ??= composeAsked(ingest, projectId, judged).catch((thrown: unknown) => {
      reading = null;
      throw thrown;
    });
    return reading;
  }

  async function scorePattern({ definition }: KnownMember): Promise<Finding> {
    const pattern = patternDefinition.parse(definition);
    const goodness = await ("builtin" in pattern
      ? goodnessByBuiltin(pattern.builtin, scored)
      : goodnessByPattern(pattern, scored, decide));
    return { goodness, because: null };
  }

  async function scoreEvaluator({ refId: id, name, definition }: KnownMember): Promise<Finding> {
    const document = { name, ...withoutUndefined(evaluatorDefinition.parse(definition)) };
    const answered = await askEvaluator({ projectId, id, document }, await readAsked(), signal);
    if ("failure" in answered) {
      if (answered.failure.kind === "away") throw new UnavailableError(answered.failure.message);
      return nothing(answered.failure.message);
    }
    const finding = findingOf(document, answered.answer);
    return finding === null
      ? nothing("The script skips this result.")
      : { goodness: goodnessOf(finding), because: null };
  }

  async function score(member: KnownMember): Promise<Finding> {
    const startedMs = performance.now();
    for (;;) {
      try {
        signal.throwIfAborted();
        return await (member.kind === "pattern" ? scorePattern(member) : scoreEvaluator(member));
      } catch (thrown) {
        if (signal.aborted) return nothing("The time for this member was over.");
        if (thrown instanceof OverrunError) return nothing(overranMember);
        if (thrown instanceof UndecidedError) return nothing(thrown.message);
        if (!isUnavailable(thrown)) {
          const { kind, refId } = member;
          logger.error({ err: thrown, projectId, kind, refId }, "a member of a group could not score a result");
          return nothing("The scorer failed on this result.");
        }
        if (performance.now() - startedMs + outagePauseMs >= outageMs) return nothing(thrown.message);
        await sleep(outagePauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  const findings = new Array<Finding>(members.length);
  const waiting = members.entries();
  const work = async (): Promise<void> => {
    // All workers share one iterator: each takes the next member.
    for (const [index, member] of waiting) findings[index] = await score(member);
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, members.length) }, work));
  return findings;
}

/** The service that scores the member is unavailable, or no thread is free for a pattern. */
const isUnavailable = (thrown: unknown): thrown is Error =>
  thrown instanceof UnavailableError || thrown instanceof JudgeUnavailableError || thrown instanceof NoThreadError;

/** Replaying makes no call to a provider. */
const neverAsked: DecideSemantic = async () => {
  throw new UndecidedError("The run replays recorded verdicts, and what a pattern's judge decides is not recorded.", {
    isLasting: true,
    wasAsked: false,
  });
};

/** The input of programs for a result: its own texts, and the rest from the linked trace. */
async function composeAsked(
  ingest: Pick<IngestClient, "readTraceForScripts">,
  projectId: string,
  { input, output, expected, traceId }: MembersToScore["case"],
): Promise<AskedTrace> {
  const trace = traceId === null ? null : await readTrace(ingest, projectId, traceId);
  return { ...(trace ?? noTrace), input, output, expected };
}

async function readTrace(
  ingest: Pick<IngestClient, "readTraceForScripts">,
  projectId: string,
  traceId: string,
): Promise<ScriptTrace | null> {
  try {
    return await ingest.readTraceForScripts(projectId, traceId);
  } catch (thrown) {
    if (isAppError(thrown) && thrown.code === "service_unavailable") {
      throw new UnavailableError("The linked trace could not be read.");
    }
    throw thrown;
  }
}

const noTrace: AskedTrace = {
  traceId: null,
  name: "",
  agentId: null,
  sessionId: null,
  input: null,
  output: null,
  error: null,
  model: null,
  latencyMs: null,
  inputTokens: null,
  outputTokens: null,
  metadata: {},
  spans: [],
};

function withoutUndefined({ url, script, ...rest }: z.output<typeof evaluatorDefinition>) {
  return { ...rest, ...(url !== undefined && { url }), ...(script !== undefined && { script }) };
}
