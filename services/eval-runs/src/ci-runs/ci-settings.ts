import { limits } from "@touchstone/contracts";
import { isJsonObject, memberValue } from "@touchstone/service-kit";
import { metricNames } from "../judging/judge-request.ts";

/** A minimum score: of the `rating`, a similarity metric, or a scorer by its name. */
export interface Minimum {
  metric: string;
  min: number;
}

/** The criteria of a CI run, frozen when it is created. */
export interface CiSettings {
  passRateThreshold: number;
  exposesInputs: boolean;
  failsFast: boolean;
  /** The rating's first, then those of the metrics, then the dataset's gates; no duplicates. */
  minimums: readonly Minimum[];
}

const defaults = { passRateThreshold: 0.8, ratingThreshold: 5 };

/**
 * Reads a dataset's document (completions 8.1, 4.1): its CI settings, and the gates of its `thresholds` when they are enabled.
 * Missing values and values of the wrong type have their defaults. Null = CI is disabled.
 */
export function readCiSettings(document: string): CiSettings | null {
  const [sent, thresholds] = [memberValue(document, "ci"), memberValue(document, "thresholds")];
  const ci = isJsonObject(sent) ? sent : {};
  if (ci.enabled === false) return null;
  const rating = numberOr(ci.ratingThreshold, limits.ratingMax, defaults.ratingThreshold);
  return {
    passRateThreshold: numberOr(ci.passRateThreshold, 1, defaults.passRateThreshold),
    exposesInputs: ci.exposeTestInputs !== false,
    failsFast: ci.failFast === true,
    minimums: withoutRepetitions([
      { metric: "rating", min: rating },
      ...readMetricThresholds(ci.thresholds),
      ...readGates(thresholds),
    ]),
  };
}

function readMetricThresholds(thresholds: unknown): Minimum[] {
  if (!isJsonObject(thresholds)) return [];
  return metricNames.flatMap(([metric]) => {
    const min = thresholds[metric];
    return typeof min === "number" ? [{ metric, min }] : [];
  });
}

function readGates(thresholds: unknown): Minimum[] {
  if (!isJsonObject(thresholds) || thresholds.enabled !== true || !Array.isArray(thresholds.gates)) return [];
  return thresholds.gates.flatMap((gate) =>
    isJsonObject(gate) && typeof gate.metric === "string" && typeof gate.min === "number"
      ? [{ metric: gate.metric, min: gate.min }]
      : [],
  );
}

function withoutRepetitions(minimums: readonly Minimum[]): Minimum[] {
  return minimums.filter(
    ({ metric, min }, index) => minimums.findIndex((one) => one.metric === metric && one.min === min) === index,
  );
}

function numberOr(value: unknown, max: number, otherwise: number): number {
  return typeof value === "number" && value >= 0 && value <= max ? value : otherwise;
}
