import { Button } from "../ui/button.tsx";
import { countOf } from "../ui/format.ts";
import type { AgreementScorer } from "./agreement-scorer.ts";
import { KappaScale } from "./kappa-scale.tsx";
import { type LabelSession, tallyOf } from "./label-session.ts";
import { type Agreement, trustOf } from "./trust.ts";

export interface LabelResultProps {
  session: LabelSession;
  /** Every label is stored. */
  isStored: boolean;
  /** `now` contains every label. */
  isMeasured: boolean;
  scorer: AgreementScorer;
  before: Agreement | undefined;
  now: Agreement | undefined;
  minPairs: number;
  onUndo(): void;
  onMore(): void;
  onClose(): void;
}

/** Shown after the last label: the labels and their effect on kappa. */
export function LabelResult(props: LabelResultProps) {
  const { session, isStored, isMeasured, scorer, before, now, minPairs, onUndo, onMore, onClose } = props;
  const { pass, fail, skip } = tallyOf(session);
  return (
    <div className="flex min-h-0 flex-1 flex-col items-start gap-6 overflow-auto px-4 py-6 md:px-6">
      <div>
        <h2 className="m-0 text-xl">{countOf(pass + fail, "label")}</h2>
        <p className="m-0 text-soft">
          {pass} passed, {fail} failed, {skip} skipped.{" "}
          {isStored ? "All are stored." : "Being stored; the numbers below move when they are."}
        </p>
      </div>
      <div className="w-full max-w-2xl">
        <p className="m-0 mb-4 text-base font-medium">{trustOf(now, minPairs).headline}</p>
        {now?.kappa != null && now.interval !== null ? (
          <KappaScale kappa={now.kappa} interval={now.interval} pairs={now.pairs} before={before?.kappa ?? null} />
        ) : (
          <p className="m-0 text-soft">{trustOf(now, minPairs).advice}</p>
        )}
        {isMeasured && <p className="m-0 mt-2 text-soft tabular-nums">{movement(scorer.name, before, now)}</p>}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onMore} disabled={!isStored}>
          Draw more
        </Button>
        <Button onClick={onClose}>See the agreement</Button>
        <Button look="ghost" onClick={onUndo}>
          Undo the last <kbd className="text-faint max-md:hidden">u</kbd>
        </Button>
      </div>
    </div>
  );
}

function movement(name: string, before: Agreement | undefined, now: Agreement | undefined): string {
  if (now?.kappa == null || now.interval === null) return "";
  if (before?.kappa == null || before.interval === null) return `The first estimate of ${name}.`;
  const width = (agreement: { low: number; high: number }): string => (agreement.high - agreement.low).toFixed(2);
  return `Kappa went from ${before.kappa.toFixed(2)} to ${now.kappa.toFixed(2)}, its interval from ${width(before.interval)} to ${width(now.interval)} wide.`;
}
