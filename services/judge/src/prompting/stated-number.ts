import { z } from "zod";

/** A finite number as models state it: plain, or as digits in a string (completions 7.4). `9/10` and `nine` are none. */
export const statedNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\s*[+-]?\d+(\.\d+)?\s*$/)
      .transform(Number),
  ])
  .refine(Number.isFinite);
