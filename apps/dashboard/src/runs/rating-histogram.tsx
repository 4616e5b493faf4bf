import { classNames } from "../ui/class-names.ts";
import { countOf, formatCount } from "../ui/format.ts";
import { scoreGround } from "../ui/score.tsx";

export interface RatingRange {
  above: number | undefined;
  max: number | undefined;
}

/** The distribution of ratings from 0 to 10. Each bar is a button that shows its results; a second press shows all. */
export function RatingHistogram({
  counts,
  chosen,
  onChoose,
}: {
  counts: readonly number[];
  chosen: RatingRange;
  onChoose(range: RatingRange): void;
}) {
  const most = Math.max(1, ...counts);
  const isAny = chosen.above !== undefined || chosen.max !== undefined;
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1 text-xs text-faint">Results by rating</legend>
      <div className="flex h-28 items-end gap-1 border-b border-line">
        {counts.map((count, bar) => {
          const range = { above: bar === 0 ? undefined : bar, max: bar + 1 };
          const isChosen = chosen.above === range.above && chosen.max === range.max;
          const words = bar === 0 ? "0 to 1" : `above ${bar}, up to ${bar + 1}`;
          return (
            <button
              key={bar}
              type="button"
              aria-pressed={isChosen}
              aria-label={`Rated ${words}: ${countOf(count, "result")}`}
              title={`Rated ${words}: ${countOf(count, "result")}`}
              onClick={() => onChoose(isChosen ? { above: undefined, max: undefined } : range)}
              className="group flex h-full flex-1 flex-col justify-end gap-0.5 rounded-t-sm hover:bg-hover"
            >
              <span className="text-center text-xs text-soft tabular-nums">{count > 0 && formatCount(count)}</span>
              <span
                className={classNames(
                  "block w-full rounded-t-sm",
                  count > 0 ? scoreGround(bar + 1) : "",
                  isAny && !isChosen && "opacity-35",
                )}
                style={{ height: count === 0 ? 0 : `${Math.max(3, (count / most) * 78)}%` }}
              />
            </button>
          );
        })}
      </div>
      <div aria-hidden className="flex justify-between text-xs text-faint tabular-nums">
        {[0, 2, 4, 6, 8, 10].map((tick) => (
          <span key={tick}>{tick}</span>
        ))}
      </div>
    </fieldset>
  );
}
