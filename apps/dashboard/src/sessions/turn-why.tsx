import { useQuery } from "@tanstack/react-query";
import { verdictsOfEvaluations, verdictsOfTrace } from "../blocks/verdict-sources.ts";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { traceEvaluationsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import type { Turn } from "./queries.ts";

/** The explanation of a turn's rating; until the justifications are loaded, the data of the turn itself. */
export function TurnWhy({ turn, chosen, onClose }: { turn: Turn; chosen: string; onClose(): void }) {
  const evaluations = useQuery(traceEvaluationsQuery(useApi(), turn._id));
  const said = evaluations.data ?? [];
  const verdicts = said.length > 0 ? verdictsOfEvaluations(said, turn) : verdictsOfTrace(turn);
  const worst = verdictsOfTrace(turn)[0]?.scorer.name;
  const first = verdicts.find(({ key }) => key === chosen) ?? verdicts.find(({ scorer }) => scorer.name === worst);
  return <WhyPanel verdicts={verdicts} chosen={first?.key} onClose={onClose} />;
}
