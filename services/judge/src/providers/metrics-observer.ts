import { createCounter, createGauge, createHistogram, type Metrics } from "@touchstone/service-kit";
import type { JudgeObserver } from "./observer.ts";

/** Counts events in the service's registry (completions 1.6). No project, model, key or text is a label. */
export function createMetricsObserver(metrics: Metrics): JudgeObserver {
  const calls = createCounter(metrics, "service_judge_calls_total");
  const callSeconds = createHistogram(metrics, "service_judge_call_duration_seconds");
  const circuits = createGauge(metrics, "service_judge_circuit_open");
  const verdicts = createCounter(metrics, "service_judge_verdicts_total");
  const verdictSeconds = createHistogram(metrics, "service_judge_verdict_duration_seconds");
  const lookUps = createCounter(metrics, "service_judge_verdict_lookups_total");
  const waiting = createGauge(metrics, "service_judge_calls_waiting");
  const notKept = createCounter(metrics, "service_judge_verdicts_not_stored_total");
  waiting.set(0);
  return {
    callWaits() {
      let waits = true;
      waiting.inc();
      return () => {
        if (waits) waiting.dec();
        waits = false;
      };
    },
    providerCalled({ provider, operation, outcome, durationMs }) {
      calls.inc({ provider, operation, outcome });
      callSeconds.observe({ provider, operation }, durationMs / 1000);
    },
    circuitSeen(provider, state) {
      circuits.set({ provider }, state === "open" ? 1 : 0);
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

/** For the endpoints that projects bring: their number is unbounded, so in metrics they are one, without a circuit. */
export const asCustom = (observer: JudgeObserver): JudgeObserver => ({
  ...observer,
  providerCalled: (call) => observer.providerCalled({ ...call, provider: "custom" }),
  circuitSeen: () => undefined,
});
