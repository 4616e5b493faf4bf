import { classNames } from "../ui/class-names.ts";
import { type Paired, verdictOf } from "./paired-words.ts";

const colors = { good: "text-good", bad: "text-bad", plain: "text-ink", warn: "text-warn" };

/** The verdict as its sign and word. */
export function VerdictWord({ paired, className }: { paired: Pick<Paired, "outcome">; className?: string }) {
  const { sign, word, look } = verdictOf(paired);
  return (
    <span className={classNames("font-semibold whitespace-nowrap", colors[look], className)}>
      <span aria-hidden>{sign} </span>
      {word}
    </span>
  );
}
