/** The name of a finding, as far as the key alone determines it. */
export interface FailureRef {
  kind: "judge" | "group" | "evaluator" | "rule" | "tool" | "error" | "empty" | "vote" | "pattern";
  /** The id of the scorer that found it, or the key of the pattern. */
  id: string;
}

const prefixes: readonly [string, FailureRef["kind"]][] = [
  ["online-eval:", "judge"],
  ["scorer-group:", "group"],
  ["custom-scorer:", "evaluator"],
  ["alert-rule:", "rule"],
  ["agent-tool-failure:", "tool"],
];

const whole: Readonly<Record<string, FailureRef["kind"]>> = {
  "agent-trace-error": "error",
  "empty-agent-response": "empty",
  "negative-feedback": "vote",
};

/** Reads a pattern key: `online-eval:<id>`, `agent-tool-failure:<tool>`, `custom:<slug>`, `secrets-in-response`, ... */
export function readFailureKey(patternKey: string): FailureRef {
  for (const [prefix, kind] of prefixes) {
    if (patternKey.startsWith(prefix)) return { kind, id: patternKey.slice(prefix.length) };
  }
  return { kind: whole[patternKey] ?? "pattern", id: patternKey };
}

/** Known names: judges by the id of their online evaluator, patterns by their key. */
export interface KnownNames {
  judges: ReadonlyMap<string, string>;
  patterns: ReadonlyMap<string, string>;
}

/** A failure in a few words: `tool find_order fails`, `rated low by Policy`, `Asks for a secret`. */
export function nameFailure(patternKey: string, { judges, patterns }: KnownNames): string {
  const { kind, id } = readFailureKey(patternKey);
  switch (kind) {
    case "judge":
      return judges.has(id) ? `rated low by ${judges.get(id)}` : "rated low by a judge";
    case "group":
      return "rated low by a group of judges";
    case "evaluator":
      return "flagged by an evaluator";
    case "rule":
      return "alert rule";
    case "tool":
      return `tool ${id} fails`;
    case "error":
      return "ends in an error";
    case "empty":
      return "empty answer";
    case "vote":
      return "voted down";
    case "pattern":
      return patterns.get(id) ?? id;
  }
}

/** Failures that raise no signal: their rows are traces, not the inbox. */
export const raisesSignal = (patternKey: string): boolean =>
  !["tool", "error", "empty"].includes(readFailureKey(patternKey).kind);
