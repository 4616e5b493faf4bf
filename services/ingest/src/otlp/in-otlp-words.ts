import { otlpQuotaRetryAfterSeconds } from "@touchstone/contracts";
import { AppError, isAppError } from "@touchstone/service-kit";

/** The failures that say what became of the whole export, in the words of OTLP (completions 1.4, 2.6). */
export function inOtlpWords(thrown: unknown, { count, noun }: { count: number; noun: string }): unknown {
  if (!isAppError(thrown)) return thrown;
  if (thrown.code === "trace_quota_spent") {
    const { internalHeaders } = thrown;
    const options = { cause: thrown, retryAfterSeconds: otlpQuotaRetryAfterSeconds, internalHeaders };
    return new AppError(thrown.code, thrown.message, options);
  }
  const messages: Partial<Record<AppError["code"], string>> = {
    queue_full: `ingest queue full - ${count} ${noun} shed, retry with backoff`,
    store_unavailable: `trace storage unavailable - ${count} ${noun} not stored, retry`,
  };
  const message = messages[thrown.code];
  return message === undefined ? thrown : new AppError(thrown.code, message, { cause: thrown });
}
