import { AppError, readParameter } from "@touchstone/service-kit";
import { type Query, readFlag, readNumber } from "../queries/read-query.ts";
import { defaultMinEffect } from "../statistics/paired-verdict.ts";

/** The checks of a gate. */
export interface GateChecks {
  /** The score whose values are checked; null = ratings. */
  metric: string | null;
  /** The least average that passes; null = not checked. */
  failUnder: number | null;
  /** The largest decrease from the baseline's average that passes; null = not checked. */
  regressionTolerance: number | null;
  /** The comparison case by case; null = not requested. */
  paired: { minEffect: number; isStrict: boolean } | null;
}

export interface GateRequest extends GateChecks {
  /** The run to compare with; null = the newest baseline. */
  baselineRunId: string | null;
  /** Name or id of the additional scorer whose ratings count; null = the run's own. */
  scorer: string | null;
  isRecorded: boolean;
  caller: string | null;
}

const defaultTolerance = 0.5;
const callerMaxChars = 60;

/** Reads the query of a gate (completions 5.6). Throws `bad_request` for the first rule that is broken. */
export function readGateRequest(query: Query): GateRequest {
  const failUnder = readNumber(query, "failUnder");
  const metric = readParameter(query, "metric");
  const tolerance = readNumber(query, "tolerance") ?? defaultTolerance;
  const minEffect = readNumber(query, "minEffect") ?? defaultMinEffect;
  if (minEffect <= 0) throw new AppError("bad_request", "minEffect must be a number above 0");
  const method = readParameter(query, "method");
  if (method !== null && method !== "paired") throw new AppError("bad_request", 'method must be "paired"');
  const isChecked = failUnder !== null || readFlag(query, "noRegression") || method !== null;
  if (!isChecked) {
    throw new AppError("bad_request", "At least one check is required: failUnder=<0-10> and/or noRegression=true");
  }
  if (metric !== null) checkMetricQuery(query);
  return {
    metric,
    failUnder,
    regressionTolerance: readFlag(query, "noRegression") ? tolerance : null,
    paired: method === null ? null : { minEffect, isStrict: readFlag(query, "strict") },
    baselineRunId: readParameter(query, "baseline"),
    scorer: readParameter(query, "scorer"),
    isRecorded: readFlag(query, "record"),
    caller: readParameter(query, "caller")?.replaceAll("\0", "").slice(0, callerMaxChars).toWellFormed() ?? null,
  };
}

/** The scale of a client's score is not known, so the differences that matter have no default. */
function checkMetricQuery(query: Query): void {
  if (readParameter(query, "scorer") !== null)
    throw new AppError("bad_request", "metric and scorer cannot be combined");
  if (readFlag(query, "noRegression") && readNumber(query, "tolerance") === null) {
    throw new AppError("bad_request", "tolerance is required with metric and noRegression");
  }
  if (readParameter(query, "method") !== null && readNumber(query, "minEffect") === null) {
    throw new AppError("bad_request", "minEffect is required with metric and method");
  }
}
