const words: Readonly<Record<string, string>> = {
  no_key: "no provider key",
  no_judge: "no judge could be asked",
  no_reference: "no expected result",
  quota: "quota used up",
  timeout: "judge timed out",
  provider_error: "provider failed",
  unparseable: "no rating in the reply",
  too_large: "case too large",
  replay_miss: "no stored verdict",
  gate_unrated: "must-pass member not rated",
  no_score: "no member gave a rating",
  run_finalized: "run ended first",
  no_scorer: "scorers of the group unavailable",
  scored_by_client: "scored by the client",
  awaiting_output: "waiting for the output of the trace",
};

/** The reason why a result was skipped, as part of a line; an unknown code is shown unchanged. */
export function skipWords(code: string): string {
  return words[code] ?? code;
}

/** True for a result that no judge was asked about, because its client scores it. */
export const isLeftToClient = (code: string | null): boolean =>
  code === "scored_by_client" || code === "awaiting_output";
