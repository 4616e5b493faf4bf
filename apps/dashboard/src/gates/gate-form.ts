import { isWithin } from "../ui/format.ts";
import type { GateQuery } from "./queries.ts";

/** The input for a gate; numbers are texts, so that no input is lost. */
export interface GateForm {
  hasFloor: boolean;
  failUnder: string;
  hasTolerance: boolean;
  tolerance: string;
  isPaired: boolean;
  minEffect: string;
  isStrict: boolean;
}

export const firstGateForm: GateForm = {
  hasFloor: true,
  failUnder: "7",
  hasTolerance: false,
  tolerance: "0.5",
  isPaired: true,
  minEffect: "0.5",
  isStrict: false,
};

/** The gate's query for a form, or the errors by field. */
export function readGateForm(form: GateForm): {
  query: GateQuery | null;
  mistakes: Partial<Record<keyof GateForm, string>>;
} {
  const mistakes: Partial<Record<keyof GateForm, string>> = {};
  if (form.hasFloor && !isWithin(form.failUnder, 0, 10)) mistakes.failUnder = "A number from 0 to 10.";
  if (form.hasTolerance && !isWithin(form.tolerance, 0, 10)) mistakes.tolerance = "A number from 0 to 10.";
  if (form.isPaired && !(isWithin(form.minEffect, 0, 10) && Number(form.minEffect) > 0)) {
    mistakes.minEffect = "A number above 0.";
  }
  const hasCheck = form.hasFloor || form.hasTolerance || form.isPaired;
  if (!hasCheck || Object.keys(mistakes).length > 0) return { query: null, mistakes };
  return {
    query: {
      ...(form.hasFloor && { failUnder: form.failUnder.trim() }),
      ...(form.hasTolerance && { noRegression: "true", tolerance: form.tolerance.trim() }),
      ...(form.isPaired && { method: "paired", minEffect: form.minEffect.trim() }),
      ...(form.isPaired && form.isStrict && { strict: "true" }),
    },
    mistakes,
  };
}

/** The command that asks for the same verdict, keeps it, and ends with 1 when it fails. */
export function gateCommand({
  address,
  apiKey,
  runId,
  query,
}: {
  address: string;
  apiKey: string;
  runId: string;
  query: GateQuery;
}): string {
  const kept = new URLSearchParams({ ...query, record: "1" });
  return `curl -sf -H 'x-api-key: ${apiKey}' \\
  "${address}/api/v1/custom-agent-evaluations/runs/${runId}/gate?${kept}&caller=$(git rev-parse --short HEAD)" \\
  | grep -q '"passed":true}'`;
}
