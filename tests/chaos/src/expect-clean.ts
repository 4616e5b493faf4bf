import { expect } from "vitest";
import { type AuditReport, describeReport, listFindings } from "./audit.ts";

/** What a failed audit shows of its findings: all of a storm would fill a log and hide what else failed. */
const shownMax = 20;

/** Fails with the counts, the findings and the seed that leads to them. An audit of nothing proves nothing. */
export function expectClean(report: AuditReport, { seed = 1, ackedMin = 60 } = {}): void {
  expect(report.acked, "acknowledged writes").toBeGreaterThanOrEqual(ackedMin);
  const findings = listFindings(report).slice(0, shownMax);
  expect(findings, `seed ${seed}: ${describeReport(report)}`).toEqual([]);
}
