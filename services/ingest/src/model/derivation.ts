import { z } from "zod";

/**
 * The additions of a trace to one of its rows that have no column: stored in `spans.derived` and applied on reading.
 * Row ids refer to rows of the same trace. Like every derived value, it depends only on the spans and log fragments of
 * the trace, not on their order (otlp 6). Absent = no addition.
 */
export const derivation = z.object({
  /** The row whose input is shown, because this row has none. */
  inputFrom: z.uuid().optional(),
  /** The row whose output is shown. */
  outputFrom: z.uuid().optional(),
  /** Tool rows whose calls this row shows, by start; at most 50, nested duplicates of one call merged. */
  toolsFrom: z.array(z.uuid()).optional(),
  /** Without tool rows: the llm rows, by start, whose messages contain the calls. */
  callsFrom: z.array(z.uuid()).optional(),
  /** Number of failed descendants. */
  childErrors: z.number().int().optional(),
  /** Models of the llm leaves, if they differ. */
  models: z.array(z.string()).optional(),
  /** Stated by any span of the trace; shown if this span states none. */
  userId: z.string().optional(),
  environment: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** This row has log fragments, which are merged into its content. */
  hasFragments: z.literal(true).optional(),
});
export type Derivation = z.infer<typeof derivation>;
