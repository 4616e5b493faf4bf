import type { ReactNode } from "react";
import { Markdown } from "../ui/markdown.tsx";
import { Badge } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import type { ResultRow, Run } from "./case-rows.ts";
import { similaritiesOf } from "./metric-values.ts";
import { SkippedBadge } from "./skipped-badge.tsx";

const sources = {
  live: "asked just then",
  cache: "from the record, or asked just then",
  replay: "from the record",
} as const;

/** Every scorer's verdict on one result, with its reason. */
export function ResultVerdicts({
  result,
  run,
  onWhy,
}: {
  result: ResultRow;
  run: Run;
  /** Called with the key of the verdict. */
  onWhy(key: string): void;
}) {
  const primary = run.scorerBreakdown?.find((scorer) => scorer.primary);
  const metrics = similaritiesOf(result);
  return (
    <section>
      <h3 className="m-0 mb-2 text-sm">Why</h3>
      <ul className="m-0 flex list-none flex-col gap-3 p-0">
        <Verdict
          name={primary?.name ?? "Rating"}
          score={<ResultScore {...result} scorer={primary?.name ?? undefined} onWhy={() => onWhy("primary")} />}
          reason={result.justification}
          note={
            result.verdictSource === undefined || result.verdictSource === null
              ? null
              : `Judge ${sources[result.verdictSource]}`
          }
        />
        {result.judgeScorerResults?.map(({ scorerId, name, rating, justification, status }) => (
          <Verdict
            key={scorerId}
            name={name ?? scorerId}
            score={
              <ResultScore
                {...{ status, rating, skipCode: null }}
                scorer={name ?? undefined}
                onWhy={() => onWhy(scorerId)}
              />
            }
            reason={justification}
          />
        ))}
        {result.codeScorerResults?.map(({ name, score, reasoning, error }, index) => (
          <Verdict
            key={`${name}-${index}`}
            name={name}
            score={score === null ? <Badge look="warn">no score</Badge> : <Share value={score} />}
            reason={error ?? reasoning ?? null}
          />
        ))}
        {metrics.length > 0 && (
          <li className="flex flex-wrap gap-x-5 gap-y-1 border-t border-line pt-3">
            {metrics.map(({ name, value }) => (
              <span key={name} className="text-soft">
                {name} <span className="text-ink tabular-nums">{value === null ? "-" : value.toFixed(2)}</span>
              </span>
            ))}
          </li>
        )}
      </ul>
    </section>
  );
}

function Verdict({
  name,
  score,
  reason,
  note = null,
}: {
  name: string;
  score: ReactNode;
  reason: string | null;
  note?: string | null;
}) {
  return (
    <li className="border-t border-line pt-3">
      <div className="mb-1 flex flex-wrap items-center gap-x-3">
        <span className="font-medium">{name}</span>
        {score}
        {note !== null && <span className="ml-auto text-xs text-faint">{note}</span>}
      </div>
      {reason !== null && reason !== "" && (
        <div className="text-soft">
          <Markdown text={reason} />
        </div>
      )}
    </li>
  );
}

function ResultScore({
  status,
  rating,
  skipCode,
  scorer,
  onWhy,
}: Pick<ResultRow, "status" | "rating" | "skipCode"> & { scorer: string | undefined; onWhy(): void }) {
  return (
    <span className="inline-flex items-center gap-2">
      {status === "skipped" ? (
        <SkippedBadge code={skipCode} onWhy={onWhy} />
      ) : (
        <Score rating={rating} scorer={scorer} onWhy={onWhy} />
      )}
      {status === "failed" && <Badge look="bad">failed</Badge>}
    </span>
  );
}

/** A score between 0 and 1; it passes from 0.5. */
function Share({ value }: { value: number }) {
  return (
    <span className="tabular-nums">
      {value.toFixed(2)}{" "}
      <span className={value >= 0.5 ? "text-good" : "text-bad"}>{value >= 0.5 ? "✓ passes" : "✗ fails"}</span>
    </span>
  );
}
