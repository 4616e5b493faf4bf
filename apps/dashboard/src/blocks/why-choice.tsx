import { classNames } from "../ui/class-names.ts";
import { Score } from "../ui/score.tsx";
import type { Verdict } from "./verdict.ts";
import { Why } from "./why.tsx";

export interface WhyChoiceProps {
  /** All verdicts of one trace, result or session, from `verdict-sources.ts`. */
  verdicts: readonly Verdict[];
  /** The key of the verdict to show; the first one where it is absent or unknown. */
  chosen: string | undefined;
  onChoose(key: string): void;
}

/** The explanation of one of several verdicts, with a button for each of them. */
export function WhyChoice({ verdicts, chosen, onChoose }: WhyChoiceProps) {
  const verdict = verdicts.find(({ key }) => key === chosen) ?? verdicts[0];
  if (verdict === undefined) return <p className="m-0 text-soft">Nothing rated this.</p>;
  return (
    <div className="flex flex-col gap-4">
      {verdicts.length > 1 && (
        <div role="group" aria-label="Scorer" className="flex flex-wrap gap-1.5">
          {verdicts.map((each) => (
            <button
              key={each.key}
              type="button"
              aria-pressed={each === verdict}
              onClick={() => onChoose(each.key)}
              className={classNames(
                "inline-flex h-7 max-w-full items-center gap-2 rounded-sm border px-2 max-md:h-11",
                each === verdict ? "border-accent bg-chosen" : "border-line hover:bg-hover",
              )}
            >
              <span className="truncate">{each.scorer.name ?? "Judge"}</span>
              <Score rating={each.rating} threshold={each.threshold} />
            </button>
          ))}
        </div>
      )}
      <Why key={verdict.key} verdict={verdict} />
    </div>
  );
}
