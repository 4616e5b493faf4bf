import type { Severity } from "../../model/finding.ts";

/** A pattern that is the same for every project. It reads only the response, and needs no judge. */
export interface BuiltinPattern {
  key: string;
  name: string;
  description: string;
  category: string;
  severity: Severity;
  /** A description of the match, without the matched text; null = no match. */
  find(response: string): string | null;
}
