import type { Metrics } from "@touchstone/service-kit";
import { Counter, Histogram } from "prom-client";
import type { JudgeObserver } from "./observer.ts";

/** Counts events in the service's registry (completions 1.6). No project, model, key or text is a label. */
export function createMetricsObserver(metrics: Metrics): JudgeObserver {
  const calls = new Counter({
    name: "service_judge_calls_total",
    help: "Requests to an LLM provider, retries counted each for itself.",
    labelNames: ["provider", "operation", "outcome"],
    registers: [metrics],
  });
  const callSeconds = new Histogram({
    name: "service_judge_call_duration_seconds",
    help: "Time of one request to an LLM provider.",
    labelNames: ["provider", "operation"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60],
    registers: [metrics],
  });
  const verdicts = new Counter({
    name: "service_judge_verdicts_total",
    help: "Rubrics applied to a result; reason is empty for scored ones.",
    labelNames: ["status", "reason"],
    registers: [metrics],
  });
  const verdictSeconds = new Histogram({
    name: "service_judge_verdict_duration_seconds",
    help: "Time from accepting a result to one rubric's verdict, waiting and retries included.",
    labelNames: ["status"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120],
    registers: [metrics],
  });
  const lookUps = new Counter({
    name: "service_judge_verdict_lookups_total",
    help: "Looks into the stored verdicts, by the mode of the run: hits ask no provider.",
    labelNames: ["mode", "outcome"],
    registers: [metrics],
  });
  const notKept = new Counter({
    name: "service_judge_verdicts_not_stored_total",
    help: "Scored verdicts that could not be stored; they count all the same, and no replay will find them.",
    registers: [metrics],
  });
  return {
    providerCalled({ provider, operation, outcome, durationMs }) {
      calls.inc({ provider, operation, outcome });
      callSeconds.observe({ provider, operation }, durationMs / 1000);
    },
    verdictGiven({ status, reason, durationMs }) {
      verdicts.inc({ status, reason: reason ?? "" });
      verdictSeconds.observe({ status }, durationMs / 1000);
    },
    verdictLookedUp({ mode, outcome }) {
      lookUps.inc({ mode, outcome });
    },
    verdictNotKept() {
      notKept.inc();
    },
  };
}
