import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { verdictsOfEvaluations, verdictsOfTrace } from "../blocks/verdict-sources.ts";
import { WhyChoice } from "../blocks/why-choice.tsx";
import { traceEvaluationsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
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
        return <WhyChoice verdicts={verdicts} chosen={verdict.key} onChoose={setChosen} />;
      }}
    </Loaded>
  );
}
