import { patternCondition } from "@touchstone/contracts";
import { z } from "zod";

/**
 * The part of a group member that determines its results, as runs store it (completions 4.4). Runs are long-lived: every form
 * ever written here must stay readable.
 */
export const patternDefinition = z.union([
  z.object({ builtin: z.string() }),
  z.object({ polarity: z.enum(["failure", "proper"]), conditions: z.array(patternCondition) }),
]);

/** The same for a custom scorer. */
export const evaluatorDefinition = z.object({
  kind: z.enum(["external", "code"]),
  url: z.string().optional(),
  script: z.string().optional(),
  invertMatch: z.boolean(),
  alertBelow: z.number(),
});
