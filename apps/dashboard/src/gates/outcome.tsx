import { classNames } from "../ui/class-names.ts";
import type { Verdict } from "./verdicts.ts";

const looks = {
  passed: { sign: "✓", word: "passed", color: "text-good" },
  failed: { sign: "✗", word: "failed", color: "text-bad" },
  expired: { sign: "✗", word: "expired", color: "text-bad" },
  running: { sign: "…", word: "running", color: "text-soft" },
} as const;

/** A verdict as a sign and a word, so that it does not depend on a colour. */
export function Outcome({ outcome, className }: Pick<Verdict, "outcome"> & { className?: string }) {
  const { sign, word, color } = looks[outcome];
  return (
    <span className={classNames("font-medium whitespace-nowrap", color, className)}>
      <span aria-hidden>{sign} </span>
      {word}
    </span>
  );
}
