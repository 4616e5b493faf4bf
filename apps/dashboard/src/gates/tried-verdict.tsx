import { Link } from "@tanstack/react-router";
import { VerdictWord } from "../blocks/paired-verdict.tsx";
import { differenceDomain, explainPaired, formatP } from "../blocks/paired-words.ts";
import { useApi } from "../shell/session.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { countOf, formatDelta, formatRating } from "../ui/format.ts";
import { Interval } from "../ui/interval.tsx";
import { gateCommand } from "./gate-form.ts";
import { Outcome } from "./outcome.tsx";
import type { GateQuery, TriedGate } from "./queries.ts";

/** The verdict of the gate, check by check, with links to details and to the pipeline's command. */
export function TriedVerdict({ gate, query }: { gate: TriedGate; query: GateQuery }) {
  const { projectId, project } = useApi();
  const { runId, baselineRunId } = gate;
  const place = { address: window.location.origin, runId, query };
  return (
    <section aria-label="Verdict" className="flex flex-col gap-4 border-t border-line pt-4">
      <div role="status" className="flex flex-wrap items-baseline gap-x-3">
        <span className="text-base">
          This gate <Outcome outcome={gate.passed ? "passed" : "failed"} />
        </span>
        <span className="text-soft">
          rating {formatRating(gate.averageRating)} over {countOf(gate.resultCount, "result")}
          {gate.baselineAverage !== null && `, baseline ${formatRating(gate.baselineAverage)}`}
        </span>
      </div>
      <ul className="m-0 flex list-none flex-col gap-2 p-0">
        {gate.checks.map(({ check, passed, detail }) => (
          <li key={check} className="flex gap-2">
            <span className={passed ? "text-good" : "text-bad"}>
              <span aria-hidden>{passed ? "✓" : "✗"}</span>
              <span className="sr-only">{passed ? "passed" : "failed"}</span>
            </span>
            <div className="min-w-0 flex-1">
              {check === "paired" && gate.paired !== null ? <Comparison paired={gate.paired} /> : detail}
            </div>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        <Link to="/p/$projectId/runs/$runId" params={{ projectId, runId }} className="text-accent">
          Open the run
        </Link>
        {baselineRunId !== null && (
          <Link
            to="/p/$projectId/runs/compare"
            params={{ projectId }}
            search={{ baseline: baselineRunId, candidate: [runId] }}
            className="text-accent"
          >
            Compare with the baseline
          </Link>
        )}
      </div>
      <details>
        <summary className="cursor-pointer text-soft">The same in a pipeline</summary>
        <pre tabIndex={0} className="mt-2 mb-2 overflow-x-auto rounded-sm bg-panel p-3 text-xs">
          {gateCommand({ ...place, apiKey: "<key>" })}
        </pre>
        <CopyButton
          text={gateCommand({ ...place, apiKey: project.apiKey })}
          name="the command"
          label="Copy with the key"
        />
      </details>
    </section>
  );
}

function Comparison({ paired }: { paired: NonNullable<TriedGate["paired"]> }) {
  const { difference, interval, minEffect, pValue } = paired;
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <VerdictWord paired={paired} />
        <span className="text-soft tabular-nums">
          {formatDelta(difference, 2)} over {countOf(paired.cases, "case")}, {formatP(pValue)}
        </span>
      </div>
      {interval !== null && (
        <Interval
          interval={interval}
          centre={difference}
          domain={differenceDomain(paired)}
          marks={[-minEffect, 0, minEffect]}
          label={`Difference ${formatDelta(difference, 2)}, ${formatDelta(interval.low, 2)} to ${formatDelta(interval.high, 2)}`}
          className="my-2 w-full"
        />
      )}
      <p className="m-0 text-soft">{explainPaired(paired)}</p>
    </div>
  );
}
