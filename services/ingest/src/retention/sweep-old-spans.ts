import { isAppError } from "@touchstone/service-kit";
import type { RemovalFilter, TraceRemover } from "../trace-store/removing/trace-remover.ts";
import type { OldSpansStore } from "./old-spans-store.ts";
import { daysInForce } from "./retention-store.ts";

const dayMs = 24 * 60 * 60 * 1000;
const firstProject = "00000000-0000-0000-0000-000000000000";
const everything: RemovalFilter = {
  framework: null,
  source: "all",
  agentId: null,
  sessionId: null,
  model: null,
  fromMs: null,
  toMs: null,
  hasError: null,
  latencyMinMs: null,
  ratingMin: null,
  ratingMax: null,
  isFailing: null,
  isToolFailing: null,
  usedModel: null,
  hasModel: null,
  prompt: null,
};

/**
 * Removes data past its project's retention (completions 9.8), by the spans' own time and PostgreSQL's clock.
 *
 * Weeks past the longest retention of any project are dropped whole; in the others each project's old traces are
 * removed in batches: whole traces by the age of their root, then single old spans. A trace is removed at most one hour
 * after its retention ends. Returns the number of removed spans, without those of whole weeks. A step or project that fails
 * delays no other one: its failure is thrown at the end. During an outage it throws at once; earlier work stays done.
 */
export async function sweepOldSpans(options: {
  store: OldSpansStore;
  remover: TraceRemover;
  retentionDays: number | null;
  mayGoOn: () => boolean;
}): Promise<{ weeks: number; traces: number; spans: number }> {
  const { store, remover, retentionDays, mayGoOn } = options;
  const swept = { weeks: 0, traces: 0, spans: 0 };
  const { nowMs, days } = await store.readChoices();
  const inForce = [null, ...days.values()].map((own) => daysInForce(own, retentionDays));
  const finite = inForce.filter((kept) => kept !== null);
  const failures: unknown[] = [];
  const attempt = async (step: () => Promise<unknown>): Promise<void> => {
    try {
      await step();
    } catch (thrown) {
      if (isAppError(thrown) && thrown.isOutage) throw thrown;
      failures.push(thrown);
    }
  };

  await attempt(async () => {
    // A project has unlimited retention: no week is past the retention of all projects.
    if (finite.length === inForce.length) swept.weeks = await store.detachWeeks(nowMs - Math.max(...finite) * dayMs);
  });
  // Includes weeks of an interrupted sweep.
  await attempt(() => store.clearDetached(mayGoOn));

  if (finite.length > 0) {
    const newestCutMs = nowMs - Math.min(...finite) * dayMs;
    let project = await store.nextProject(firstProject, newestCutMs);
    while (project !== null && mayGoOn()) {
      const id = project;
      const kept = daysInForce(days.get(id) ?? null, retentionDays);
      if (kept !== null) await attempt(() => sweepProject(id, nowMs - kept * dayMs));
      project = await store.nextProject(id, newestCutMs);
    }
  }
  await attempt(() => store.tidy());
  if (failures.length > 0) throw failures[0];
  return swept;

  async function sweepProject(project: string, beforeMs: number): Promise<void> {
    const whole = await remover.removeTraces(project, { ...everything, toMs: beforeMs }, mayGoOn);
    const single = await remover.removeSpansBefore(project, beforeMs, mayGoOn);
    await store.removeFragments(project, beforeMs, mayGoOn);
    await store.removeScores(project, beforeMs, mayGoOn);
    swept.traces += whole.traces + single.traces;
    swept.spans += whole.spans + single.spans;
  }
}
