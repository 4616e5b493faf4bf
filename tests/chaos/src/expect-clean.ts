import { expect } from "vitest";
import { type AuditReport, describeReport, listFindings } from "./audit.ts";

/** How many findings a failed audit prints: all of them could fill a log and hide other failures. */
const shownMax = 20;

/** Fails with the counts, the findings and the seed that reproduces them. An audit without any write proves nothing. */
export function expectClean(report: AuditReport, { seed = 1, ackedMin = 60 } = {}): void {
  expect(report.acked, "acknowledged writes").toBeGreaterThanOrEqual(ackedMin);
  const findings = listFindings(report).slice(0, shownMax);
  expect(findings, `seed ${seed}: ${describeReport(report)}`).toEqual([]);
}
