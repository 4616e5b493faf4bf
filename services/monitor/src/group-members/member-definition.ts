import { patternCondition } from "@touchstone/contracts";
import { z } from "zod";

/**
 * What decides what a member of a scorer group says, as runs keep it (completions 4.4). Runs live long: what was written
 * here once must be readable for ever.
 */
export const patternDefinition = z.union([
  z.object({ builtin: z.string() }),
  z.object({ polarity: z.enum(["failure", "proper"]), conditions: z.array(patternCondition) }),
]);

/** The same of a custom scorer. */
export const evaluatorDefinition = z.object({
  kind: z.enum(["external", "code"]),
  url: z.string().optional(),
  script: z.string().optional(),
  invertMatch: z.boolean(),
  alertBelow: z.number(),
});
