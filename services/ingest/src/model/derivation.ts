import { z } from "zod";

/**
 * What a trace adds to one of its rows and is not a column: kept in `spans.derived`, applied when the row is read. Row
 * ids refer to rows of the same trace. Like every derived value it is a function of the set of spans and log fragments
 * of the trace, never of the order in which they came (otlp 6). Absent = nothing to add.
 */
export const derivation = z.object({
  /** The row whose input is shown, because this one has none of its own. */
  inputFrom: z.uuid().optional(),
  /** The row whose output is shown. */
  outputFrom: z.uuid().optional(),
  /** Tool rows whose calls this row shows, by start; at most 50, nested twins of one call folded. */
  toolsFrom: z.array(z.uuid()).optional(),
  /** Without tool rows: the llm rows, by start, whose messages tell the calls. */
  callsFrom: z.array(z.uuid()).optional(),
  /** Descendants that failed. */
  childErrors: z.number().int().optional(),
  /** Models of the llm leaves, when they differ. */
  models: z.array(z.string()).optional(),
  /** What any span of the trace said; shown where this one said nothing of the kind. */
  userId: z.string().optional(),
  environment: z.string().optional(),
  tags: z.array(z.string()).optional(),
  /** Log fragments belong to this row: their content is merged into it. */
  hasFragments: z.literal(true).optional(),
});
export type Derivation = z.infer<typeof derivation>;
