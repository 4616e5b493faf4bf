import { type Bus, isBusError } from "@touchstone/bus";
import { classifyTopic, deadlines, type SkipReason, type TraceTopic } from "@touchstone/contracts";
import type { Check, CheckOutcome } from "../checks/check.ts";
import { planOf, readSubject, type TrafficReader } from "../judging/judged-subject.ts";
import { budgetExhausted, type LiveBudget } from "../judging/live-budget-store.ts";
import { wasProviderAsked } from "../judging/live-judge.ts";
import { isSampled } from "../model/sampling.ts";
import { isSilenced } from "../profiles/agent-silence-reader.ts";
import { readDefaultsIn } from "../profiles/profile-store.ts";
import { announceJudgedTrace } from "../verdicts/verdict-store.ts";
import type { TopicReader } from "./topic-reader.ts";

/** completions 9.5: labels to reuse. */
const labels = { days: 30, limit: 30 };
const textMaxChars = 64 * 1024;

/** Temporary reasons. */
const passing: readonly SkipReason[] = ["provider_error", "timeout", "no_judge"];

type NotClassified = Exclude<CheckOutcome, { outcome: "done" }>;

/** Classifies the topics of traces, if a project enables it: one live judge call each (completions 9.5). */
export function createTopicCheck(dependencies: {
  ingest: TrafficReader;
  topics: Pick<TopicReader, "listFrequent">;
  budget: LiveBudget;
  bus: Bus;
}): Check {
  const { ingest, topics, budget, bus } = dependencies;

  async function classify(
    projectId: string,
    { input, output }: { input: string; output: string },
    signal: AbortSignal,
  ): Promise<{ topic: TraceTopic } | NotClassified> {
    const cut = (text: string): string => text.slice(0, textMaxChars).toWellFormed();
    const asked = {
      projectId,
      model: null,
      input: cut(input),
      output: cut(output),
      labels: await topics.listFrequent(projectId, labels),
    };
    // Last, so that no failure here costs a call.
    const reservation = await budget.reserve(projectId, 1);
    if (reservation === null) return { outcome: "skipped", reason: budgetExhausted };
    try {
      const { topic, failure } = await bus.request(classifyTopic, asked, { timeoutMs: deadlines.resultMs, signal });
      if (topic !== null) return { topic };
      const noTopic = { reason: "unparseable" as const, message: "The judge gave no topic.", isPassing: false };
      const { reason, message, isPassing } = failure ?? noTopic;
      if (!wasProviderAsked(failure ?? noTopic)) await budget.release(reservation, 1);
      // The quota could not be counted: the judge is as good as unavailable.
      if (isPassing) return { outcome: "postponed", reason: message };
      return { outcome: passing.includes(reason) ? "retry" : "skipped", reason: message };
    } catch (thrown) {
      if (signal.aborted || !isBusError(thrown)) throw thrown;
      const isUnavailable = thrown.kind === "no_responder" || thrown.kind === "disconnected" || thrown.kind === "busy";
      const isUnasked = isUnavailable || thrown.kind === "too_large";
      if (isUnasked) await budget.release(reservation, 1);
      const outcome = isUnavailable ? "postponed" : isUnasked ? "skipped" : "retry";
      return { outcome, reason: `The judge gave no topic: ${thrown.kind}.` };
    }
  }

  return {
    kind: "topic",
    // The root of a conversation determines its topic.
    ignoresChildren: true,

    async plan(trace, transaction) {
      const { projectId, traceId } = trace;
      const { topicsEnabled, topicsSampleRate } = await readDefaultsIn(transaction, projectId);
      if (!topicsEnabled || !isSampled(topicsSampleRate, "topic", traceId)) return [];
      if (await isSilenced(transaction, trace)) return [];
      return [{ kind: "topic", scorerId: "", subjectId: traceId, round: 0, plan: planOf(trace) }];
    },

    async carryOut(check, signal) {
      const { projectId, subjectId: traceId } = check;
      const read = await readSubject(ingest, check);
      if (!("subject" in read)) return read;
      const { input, output } = read.subject.case;
      if (input.trim() === "" && output.trim() === "") return { outcome: "skipped", reason: "The trace says nothing." };
      const classified = await classify(projectId, { input, output }, signal);
      if (!("topic" in classified)) return classified;
      const { topic } = classified;
      return {
        outcome: "done",
        record: (transaction) => announceJudgedTrace(transaction, projectId, traceId, topic),
      };
    },
  };
}
