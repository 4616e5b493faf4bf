import { expect } from "vitest";
import { type AuditReport, describeReport, listFindings } from "./audit.ts";

/** Fails with the counts, the findings and the seed that leads to them. An audit of nothing proves nothing. */
export function expectClean(report: AuditReport, { seed = 1, ackedMin = 60 } = {}): void {
  expect(report.acked, "acknowledged writes").toBeGreaterThanOrEqual(ackedMin);
  expect(listFindings(report), `seed ${seed}: ${describeReport(report)}`).toEqual([]);
}
