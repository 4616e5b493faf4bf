import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { TraceWhy } from "../blocks/why-panel.tsx";
import { countOf, formatDay, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { AgreementLimits } from "./agreement-limits.tsx";
import { AgreementMatrix } from "./agreement-matrix.tsx";
import type { AgreementScorer } from "./agreement-scorer.ts";
import { KappaScale } from "./kappa-scale.tsx";
import { PairList } from "./pair-list.tsx";
import { type Agreement, type Cell, type Counted, countsOf, labelsFor, trustOf } from "./trust.ts";

const route = getRouteApi("/p/$projectId/judges/$judgeId/agreement");

export interface AgreementContentProps {
  scorer: AgreementScorer;
  /** For the chosen version; undefined without labelled traces. */
  agreement: Agreement | undefined;
  minPairs: number;
  since: string;
}

/** The conclusion first, then its evidence, then its limits. A cell of the table opens its traces. */
export function AgreementContent({ scorer, agreement, minPairs, since }: AgreementContentProps) {
  const { cell, why } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/judges/$judgeId/agreement" });
  const { headline, advice } = trustOf(agreement, minPairs);
  const setWhy = (traceId: string | undefined): void =>
    void navigate({ search: (before) => ({ ...before, why: traceId }), resetScroll: false });
  return (
    <div className="flex min-h-0 flex-1">
      <div
        tabIndex={0}
        className="flex min-w-0 flex-1 flex-col gap-8 overflow-auto px-4 pb-8 outline-offset-[-2px] md:px-6"
      >
        <div className="grid items-center gap-x-10 gap-y-5 lg:grid-cols-2">
          <div>
            <p className="m-0 text-xl font-semibold text-balance">{headline}</p>
            <p className="m-0 mt-1 max-w-prose text-base text-soft">{advice}</p>
          </div>
          {agreement?.kappa != null && agreement.interval !== null && (
            <KappaScale kappa={agreement.kappa} interval={agreement.interval} pairs={agreement.pairs} />
          )}
        </div>
        {agreement !== undefined && agreement.pairs > 0 && (
          <Section
            title={`How ${scorer.name} and people rated the same ${countOf(agreement.pairs, "trace")}`}
            aside={`since ${formatDay(since)}`}
          >
            <div className="grid items-start gap-x-10 gap-y-6 lg:grid-cols-2">
              <AgreementMatrix agreement={agreement} chosen={cell} />
              <Consequences agreement={agreement} name={scorer.name} />
            </div>
          </Section>
        )}
        {agreement !== undefined && cell !== undefined && (
          <PairList scorerKey={scorer.key} version={agreement.scorerVersion} cell={cell} onWhy={setWhy} />
        )}
        <AgreementLimits agreement={agreement} scorer={scorer} />
      </div>
      {agreement !== undefined && cell !== undefined && why !== undefined && (
        <TraceWhy
          key={why}
          traceId={why}
          evaluatorId={scorer.key.slice(scorer.key.indexOf(":") + 1)}
          onClose={() => setWhy(undefined)}
        />
      )}
    </div>
  );
}

/** The conclusion from the table, for readers of the judge's scores. */
function Consequences({ agreement, name }: { agreement: Agreement; name: string }) {
  const { rightAlarms, found, rightPasses } = countsOf(agreement);
  const more = labelsFor(agreement, 0.1);
  return (
    <div className="flex flex-col gap-3">
      <dl className="m-0 grid grid-cols-[4.5rem_minmax(0,1fr)] items-baseline gap-x-4 gap-y-3">
        <Line cell="bothFail" counted={rightAlarms} nothing={`${name} failed none.`}>
          of what it fails, people find bad, too. The rest are false alarms.
        </Line>
        <Line cell="bothFail" counted={found} nothing="People found none bad.">
          of what people find bad, it finds. The rest it misses.
        </Line>
        <Line cell="bothPass" counted={rightPasses} nothing={`${name} passed none.`}>
          of what it passes, people find good, too.
        </Line>
      </dl>
      <p className="m-0 text-soft">
        People found {formatShare(agreement.baseRate, 0)} of these traces bad; {name} failed{" "}
        {formatShare(agreement.failRate, 0)}.{" "}
        {farApart(agreement) && "So far apart, its threshold is wrong rather than its rubric. "}
        Both said the same of {formatShare(agreement.rawAgreement, 0)}, part of which is chance: kappa takes that off.
      </p>
      {more !== null && more > 0 && (
        <p className="m-0 text-soft">About {countOf(more, "more label")} would narrow the interval to ±0.10.</p>
      )}
    </div>
  );
}

const farApart = ({ baseRate, failRate }: Agreement): boolean =>
  baseRate !== null && failRate !== null && Math.abs(baseRate - failRate) > 0.2;

function Line({
  cell,
  counted,
  nothing,
  children,
}: {
  /** The traces that it counts. */
  cell: Cell;
  counted: Counted | null;
  nothing: string;
  children: string;
}) {
  if (counted === null) {
    return (
      <>
        <dt className="text-xl font-semibold text-faint">-</dt>
        <dd className="m-0 text-soft">{nothing}</dd>
      </>
    );
  }
  return (
    <>
      <dt className="text-xl font-semibold tabular-nums">{formatShare(counted.share, 0)}</dt>
      <dd className="m-0">
        {children}{" "}
        <span className="whitespace-nowrap text-faint tabular-nums">
          <Link
            from="/p/$projectId/judges/$judgeId/agreement"
            to="."
            search={(before) => ({ ...before, cell, why: undefined })}
            resetScroll={false}
            className="text-ink hover:text-accent"
          >
            {counted.count}
          </Link>{" "}
          of {counted.of}
        </span>
      </dd>
    </>
  );
}
