import type { ReactNode } from "react";
import { peopleAmongThemselves } from "./trust.ts";

const least = -0.2;
const at = (value: number): string => `${((Math.min(1, Math.max(least, value)) - least) / (1 - least)) * 100}%`;

/** Kappa with its interval on a labelled scale. */
export function KappaScale({
  kappa,
  interval: { low, high },
  pairs,
  before = null,
}: {
  kappa: number;
  interval: { low: number; high: number };
  pairs: number;
  /** The earlier kappa; marked on the scale. */
  before?: number | null;
}) {
  const { low: from, high: to } = peopleAmongThemselves;
  const words = `Kappa ${kappa.toFixed(2)}, with 95% certainty between ${low.toFixed(2)} and ${high.toFixed(2)}`;
  return (
    <figure className="m-0 min-w-0">
      <figcaption className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <span className="text-2xl font-semibold tabular-nums">{kappa.toFixed(2)}</span>
        <span className="text-soft tabular-nums">
          kappa, {low.toFixed(2)} to {high.toFixed(2)} with 95% certainty, {pairs} labels
        </span>
      </figcaption>
      <div role="img" aria-label={words} className="relative mx-2 h-16">
        <span
          className="absolute top-1 h-6 rounded-sm bg-chosen"
          style={{ left: at(from), width: `calc(${at(to)} - ${at(from)})` }}
        />
        <span className="absolute top-4 right-0 left-0 h-px bg-line" />
        <span className="absolute top-1 h-6 w-px bg-control" style={{ left: at(0) }} />
        <span
          className="absolute top-[13px] h-1.5 rounded-full bg-accent opacity-45"
          style={{ left: at(low), width: `calc(${at(high)} - ${at(low)})` }}
        />
        <span className="absolute top-2 h-4 w-0.5 bg-accent" style={{ left: at(low) }} />
        <span className="absolute top-2 h-4 w-0.5 bg-accent" style={{ left: at(high) }} />
        {before !== null && (
          <span
            className="absolute top-2.5 size-3 -translate-x-1/2 rounded-full border border-control bg-canvas"
            style={{ left: at(before) }}
          />
        )}
        <span
          className="absolute top-2.5 size-3 -translate-x-1/2 rounded-full border-2 border-canvas bg-accent"
          style={{ left: at(kappa) }}
        />
        <Tick value={0}>0 chance</Tick>
        <Tick value={(from + to) / 2}>
          {from} to {to} two people
        </Tick>
        <Tick value={1}>1</Tick>
      </div>
    </figure>
  );
}

function Tick({ value, children }: { value: number; children: ReactNode }) {
  return (
    <span
      aria-hidden
      className="absolute top-8 -translate-x-1/2 text-center text-xs whitespace-nowrap text-faint"
      style={{ left: at(value) }}
    >
      {children}
    </span>
  );
}
