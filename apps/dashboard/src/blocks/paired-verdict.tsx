import { classNames } from "../ui/class-names.ts";
import { formatDelta } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import { differenceDomain, explainPaired, type Paired, verdictOf } from "./paired-words.ts";

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

/**
 * The mean difference with its interval around 0, as a picture with a text alternative. Several side by side share a
 * `domain`.
 */
export function DifferenceInterval({
  paired,
  domain = differenceDomain(paired),
  className,
}: {
  paired: Paired;
  domain?: readonly [number, number];
  className?: string;
}) {
  const { difference, interval, minEffect } = paired;
  return (
    <Interval
      interval={interval}
      centre={difference}
      domain={domain}
      marks={[-minEffect, 0, minEffect]}
      label={`Difference ${formatDelta(difference, 2)}. ${explainPaired(paired)}`}
      {...(className !== undefined && { className })}
    />
  );
}
