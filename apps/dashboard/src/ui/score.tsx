import { classNames } from "./class-names.ts";
import { formatRating } from "./format.ts";

/** The five steps of the scale from orange (bad) to blue (good), as Tailwind's names. */
const steps = ["bg-score-2", "bg-score-4", "bg-score-6", "bg-score-8", "bg-score-10"] as const;

/** The colour of a rating between 0 and 10. */
export function scoreGround(rating: number): string {
  return steps[Math.min(4, Math.max(0, Math.ceil(rating / 2) - 1))] as string;
}

export interface ScoreProps {
  /** Between 0 and 10; null if unrated. */
  rating: number | null | undefined;
  /** The rating fails below it; without a threshold it neither passes nor fails. */
  threshold?: number | null | undefined;
  /** The scorer's name, for screen readers and the title. */
  scorer?: string | undefined;
  /** Opens the explanation, as `w` does while the score has the focus. Without it the score is plain text. */
  onWhy?: (() => void) | undefined;
}

/** A rating as a mark on the scale and its number; a failing one has a sign besides its colour. */
export function Score({ rating, threshold, scorer, onWhy }: ScoreProps) {
  const isFailing = rating != null && threshold != null && rating < threshold;
  const title = [
    scorer,
    rating == null ? "not rated" : `${formatRating(rating)} of 10`,
    threshold != null && `threshold ${formatRating(threshold)}, ${isFailing ? "fails" : "passes"}`,
  ]
    .filter(Boolean)
    .join(", ");
  const content = (
    <>
      <span
        aria-hidden
        className={classNames("h-3 w-1 self-center rounded-full", rating == null ? "bg-line" : scoreGround(rating))}
      />
      <span className={classNames("tabular-nums", isFailing && "font-semibold")}>{formatRating(rating)}</span>
      {isFailing && (
        <span aria-hidden className="text-xs text-bad">
          ▼
        </span>
      )}
    </>
  );
  if (onWhy === undefined) {
    return (
      <span title={title} className="inline-flex items-baseline gap-1.5">
        {content}
        <span className="sr-only">{title}</span>
      </span>
    );
  }
  return (
    <button
      type="button"
      onClick={onWhy}
      onKeyDown={(event) => {
        if (event.key !== "w" || event.ctrlKey || event.metaKey || event.altKey) return;
        // Handled here, because the page's keys may act on another row.
        event.preventDefault();
        onWhy();
      }}
      aria-label={`Why: ${title}`}
      title={`${title}. Why?`}
      className="-mx-1 inline-flex items-baseline gap-1.5 rounded-sm px-1 py-0.5 hover:bg-hover"
    >
      {content}
    </button>
  );
}
