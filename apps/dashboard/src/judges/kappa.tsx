import { countOf } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import type { Agreement } from "./trust.ts";

/** Kappa with its interval in a row, or the number of missing labels. */
export function Kappa({ agreement, minPairs }: { agreement: Agreement | undefined; minPairs: number }) {
  if (agreement?.kappa == null || agreement.interval === null) {
    const pairs = agreement?.pairs ?? 0;
    return (
      <span className="text-faint">
        {pairs < minPairs ? `${countOf(minPairs - pairs, "more label")}` : "one side never varies"}
      </span>
    );
  }
  const { kappa, interval } = agreement;
  const words = `${kappa.toFixed(2)} (${interval.low.toFixed(2)} to ${interval.high.toFixed(2)})`;
  return (
    <span className="inline-flex items-center gap-2 whitespace-nowrap tabular-nums" title={`Kappa ${words}`}>
      <Interval
        interval={interval}
        centre={kappa}
        domain={[-0.2, 1]}
        marks={[0]}
        label={`Kappa ${words}`}
        className="w-20!"
      />
      <span>{kappa.toFixed(2)}</span>
      <span className="text-faint">
        {interval.low.toFixed(2)} to {interval.high.toFixed(2)}
      </span>
    </span>
  );
}
