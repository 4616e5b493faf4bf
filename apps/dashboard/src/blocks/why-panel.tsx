import { useState } from "react";
import { classNames } from "../ui/class-names.ts";
import { Score } from "../ui/score.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import type { Verdict } from "./verdict.ts";
import { Why } from "./why.tsx";

export interface WhyPanelProps {
  /** All verdicts of one trace, result or session, from `verdict-sources.ts`; the panel offers them side by side. */
  verdicts: readonly Verdict[];
  /** The key of the verdict to show; the first one where it is absent or unknown. */
  chosen?: string | undefined;
  /** Reports the selected rating, for pages that keep it in the URL. Without it the panel keeps it itself. */
  onChoose?: (key: string) => void;
  onClose(): void;
}

/**
 * The explanation of a score, beside a page's content (a flex row: `<div className="flex min-h-0 flex-1">`). It covers
 * the page in a narrow window. Escape closes it. For other places, such as a tab, use {@link Why}.
 */
export function WhyPanel({ verdicts, chosen, onChoose, onClose }: WhyPanelProps) {
  const [own, setOwn] = useState<string>();
  const key = onChoose === undefined ? (own ?? chosen) : chosen;
  const verdict = verdicts.find((each) => each.key === key) ?? verdicts[0];
  const choose = onChoose ?? setOwn;
  return (
    <SidePanel title="Why this score" onClose={onClose} width="narrow">
      {verdicts.length > 1 && (
        <div role="group" aria-label="Scorer" className="mb-4 flex flex-wrap gap-1.5">
          {verdicts.map((each) => (
            <button
              key={each.key}
              type="button"
              aria-pressed={each === verdict}
              onClick={() => choose(each.key)}
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
      {verdict === undefined ? (
        <p className="m-0 text-soft">Nothing rated this.</p>
      ) : (
        <Why key={verdict.key} verdict={verdict} />
      )}
    </SidePanel>
  );
}
