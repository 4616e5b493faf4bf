import { classNames } from "./class-names.ts";

export interface IntervalProps {
  /** Null if unknown: then only the axis is drawn. */
  interval: { low: number; high: number } | null | undefined;
  centre: number | null | undefined;
  /** The range of the axis. */
  domain: readonly [number, number];
  /** Marked on the axis, such as 0 or a threshold. */
  marks?: readonly number[];
  /** A full description of the picture in words. */
  label: string;
  className?: string;
}

/** An estimate with its confidence interval on an axis. */
export function Interval({ interval, centre, domain, marks = [], label, className }: IntervalProps) {
  const at = (value: number): number => {
    const share = (value - domain[0]) / (domain[1] - domain[0]);
    return 2 + Math.min(1, Math.max(0, share)) * 96;
  };
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 100 16"
      preserveAspectRatio="none"
      className={classNames("h-4 w-32 overflow-visible", className)}
    >
      <line x1="2" x2="98" y1="8" y2="8" className="stroke-line" strokeWidth="1" vectorEffect="non-scaling-stroke" />
      {marks.map((mark) => (
        <line
          key={mark}
          x1={at(mark)}
          x2={at(mark)}
          y1="1"
          y2="15"
          className="stroke-control"
          strokeDasharray="2 2"
          vectorEffect="non-scaling-stroke"
        />
      ))}
      {interval != null && (
        <g className="stroke-accent" strokeWidth="2">
          <line x1={at(interval.low)} x2={at(interval.high)} y1="8" y2="8" vectorEffect="non-scaling-stroke" />
          <line x1={at(interval.low)} x2={at(interval.low)} y1="4" y2="12" vectorEffect="non-scaling-stroke" />
          <line x1={at(interval.high)} x2={at(interval.high)} y1="4" y2="12" vectorEffect="non-scaling-stroke" />
        </g>
      )}
      {centre != null && (
        // A line of zero length with round ends stays a circle while the picture is stretched.
        <line
          x1={at(centre)}
          x2={at(centre)}
          y1="8"
          y2="8"
          className="stroke-accent"
          strokeWidth="8"
          strokeLinecap="round"
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}
