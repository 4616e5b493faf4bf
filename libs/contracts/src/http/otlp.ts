import { z } from "zod";

const partialSuccess = z.object({ errorMessage: z.string().optional() });

/** OTLP/JSON answers; a protobuf export is answered in protobuf (otlp 2). `{}` is full success. */
export const otlpTracesReply = z.object({
  partialSuccess: partialSuccess.extend({ rejectedSpans: z.string().optional() }).optional(),
});

export const otlpLogsReply = z.object({
  partialSuccess: partialSuccess.extend({ rejectedLogRecords: z.string().optional() }).optional(),
});

export const otlpMetricsReply = z.object({
  partialSuccess: partialSuccess.extend({ rejectedDataPoints: z.string().optional() }).optional(),
});

/** OTLP/JSON export; its fields are checked span by span, so that an invalid span does not affect the others. */
export const otlpExport = z.record(z.string(), z.json());
