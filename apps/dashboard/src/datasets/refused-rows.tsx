import { countOf, formatCount } from "../ui/format.ts";
import { ErrorIcon } from "../ui/icons.tsx";

/** How many rows of an import are no case. */
export function RefusedCount({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <span className="inline-flex items-center gap-1.5 text-bad">
      <ErrorIcon /> {countOf(count, "row")} refused
    </span>
  );
}

/** The rows of an import that are no case, and why. */
export function RefusedRows({
  skipped,
  skippedCount,
}: {
  skipped: readonly { row: number; reason: string }[];
  skippedCount: number;
}) {
  if (skipped.length === 0) return null;
  return (
    <div>
      <h3 className="m-0 mb-1 text-sm">Refused rows</h3>
      <ul className="m-0 list-none p-0">
        {skipped.map(({ row, reason }) => (
          <li key={row} className="flex gap-3 border-b border-line py-1">
            <span className="w-16 shrink-0 text-soft tabular-nums">row {formatCount(row)}</span>
            <span className="min-w-0 break-words">{reason}</span>
          </li>
        ))}
      </ul>
      {skippedCount > skipped.length && (
        <p className="m-0 mt-1 text-faint">
          The first {skipped.length} of {formatCount(skippedCount)}.
        </p>
      )}
    </div>
  );
}
