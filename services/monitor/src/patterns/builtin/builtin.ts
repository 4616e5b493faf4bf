import type { Severity } from "../../model/finding.ts";

/** A pattern that is the same for every project. It reads the response only, and asks nobody. */
export interface BuiltinPattern {
  key: string;
  name: string;
  description: string;
  category: string;
  severity: Severity;
  /** What was found, in words without what was found; null = nothing. */
  find(response: string): string | null;
}
