import { formatSpentQuota, spentQuotaHeader, traceQuotaMessage } from "@touchstone/contracts";
import { AppError } from "@touchstone/service-kit";

/**
 * The refusal of traces that do not fit into the day's quota (completions 1.4). With `remainingMs` nothing more fits
 * until midnight, and the gateway is told so; null = less might still fit.
 */
export function quotaRefusal(tracesPerDay: number, remainingMs: number | null): AppError {
  const headers =
    remainingMs === null ? undefined : { [spentQuotaHeader]: formatSpentQuota({ tracesPerDay, remainingMs }) };
  return new AppError("trace_quota_spent", traceQuotaMessage(tracesPerDay), { internalHeaders: headers });
}
