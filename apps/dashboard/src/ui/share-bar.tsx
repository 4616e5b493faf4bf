import { formatShare } from "./format.ts";

/** A share of failures as a number beside a bar. */
export function ShareBar({ share }: { share: number | null | undefined }) {
  return (
    <span className="inline-flex w-full items-baseline justify-end gap-2">
      <span aria-hidden className="h-1.5 w-12 self-center rounded-full bg-panel">
        <span className="block h-full rounded-full bg-score-2" style={{ width: `${(share ?? 0) * 100}%` }} />
      </span>
      <span className="w-12">{formatShare(share)}</span>
    </span>
  );
}
