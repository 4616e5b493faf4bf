import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { verdictsOfEvaluations, verdictsOfTrace } from "../blocks/verdict-sources.ts";
import { Why } from "../blocks/why.tsx";
import { traceEvaluationsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { Score } from "../ui/score.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import type { TraceDetail } from "./trace-queries.ts";

/** All ratings of a trace, and the explanation of the selected one. */
export function VerdictsTab({
  trace,
  scorer,
  onEvaluate,
}: {
  trace: TraceDetail;
  /** The name of the initially selected one. */
  scorer: string | undefined;
  onEvaluate(): void;
}) {
  const api = useApi();
  const evaluations = useQuery(traceEvaluationsQuery(api, trace._id));
  const [chosen, setChosen] = useState<string>();
  return (
    <Loaded query={evaluations}>
      {(said) => {
        const verdicts = said.length > 0 ? verdictsOfEvaluations(said, trace) : verdictsOfTrace(trace);
        // The worst one by default, because users look for it.
        const wanted = scorer ?? verdictsOfTrace(trace)[0]?.scorer.name;
        const verdict =
          verdicts.find(({ key }) => key === chosen) ??
          verdicts.find((each) => each.scorer.name === wanted) ??
          verdicts[0];
        if (verdict === undefined) {
          return (
            <EmptyState title="Nothing rated this yet" actions={<Button onClick={onEvaluate}>Evaluate it now</Button>}>
              Live judges and groups rate traces as they arrive, if they are switched on for the agent.
            </EmptyState>
          );
        }
        return (
          <div className="flex flex-col gap-4">
            {verdicts.length > 1 && (
              <div role="group" aria-label="Scorer" className="flex flex-wrap gap-1.5">
                {verdicts.map((each) => (
                  <button
                    key={each.key}
                    type="button"
                    aria-pressed={each === verdict}
                    onClick={() => setChosen(each.key)}
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
      }}
    </Loaded>
  );
}
