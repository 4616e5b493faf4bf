import type { ReactNode } from "react";
import { classNames } from "../ui/class-names.ts";

interface MeterRowProps {
  name: string;
  /** What is counted, in a line below the name. */
  note: string;
  value: string;
  /** The limit, as text beside the value. */
  most: string;
  /** The part of the limit that is used, from 0 to 1; 1 is shown as an alert. Null: there is no limit. */
  share: number | null;
  /** What the limit means. */
  children: ReactNode;
}

/** A row of a `dl`: an amount beside its limit, with a bar. */
export function MeterRow({ name, note, value, most, share, children }: MeterRowProps) {
  return (
    <div className="grid gap-x-6 gap-y-1 border-b border-line py-4 first:pt-1 sm:grid-cols-[14rem_1fr]">
      <dt>
        <div className="font-medium">{name}</div>
        <div className="text-xs text-faint">{note}</div>
      </dt>
      <dd className="m-0 min-w-0">
        <div className="flex items-baseline gap-2 tabular-nums">
          <span className="text-base font-semibold">{value}</span>
          <span className="text-soft">{most}</span>
        </div>
        {share !== null && (
          <span aria-hidden className="my-1.5 block h-1.5 max-w-md rounded-full bg-panel">
            <span
              className={classNames("block h-full rounded-full", colorOf(share))}
              style={{ width: `${share * 100}%` }}
            />
          </span>
        )}
        <p className={share === 1 ? "m-0 text-bad" : "m-0 text-xs text-faint"}>{children}</p>
      </dd>
    </div>
  );
}

function colorOf(share: number): string {
  if (share === 1) return "bg-bad";
  return share >= 0.9 ? "bg-score-2" : "bg-accent";
}
