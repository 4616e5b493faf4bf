import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import type { AgreementScorer } from "./agreement-scorer.ts";
import { LabelDesk } from "./label-desk.tsx";
import { sampleQuery } from "./label-queries.ts";
import type { Agreement } from "./trust.ts";

/** The number of traces drawn at once: enough to label without a break. */
export const drawnAtOnce = 20;

export interface LabelFlowProps {
  /** The scorer's id in the page's URL. */
  judgeId: string;
  scorer: AgreementScorer;
  /** The version whose ratings are labelled; null for a group. */
  version: number | null;
  agreement: Agreement | undefined;
  minPairs: number;
  onClose(): void;
}

/** Draws random traces, asks the user to label them, and then shows the effect on kappa. */
export function LabelFlow({ judgeId, scorer, version, agreement, minPairs, onClose }: LabelFlowProps) {
  const api = useApi();
  const [round, setRound] = useState(1);
  // Kappa before the labels, and the version that stays the same until more are drawn.
  const [begun, setBegun] = useState({ before: agreement, version });
  const sample = useQuery(
    sampleQuery(api, { scorerKey: scorer.key, version: begun.version, count: drawnAtOnce, round }),
  );
  return (
    <Loaded query={sample}>
      {({ traces }) =>
        traces.length === 0 ? (
          <EmptyState title="Nothing to label" actions={<Button onClick={onClose}>Back to the agreement</Button>}>
            {scorer.threshold === null
              ? `${scorer.name} has no threshold, so its ratings take no side.`
              : `Everything that ${scorer.name} rated and that is still stored has a label. Let it rate more traffic.`}
          </EmptyState>
        ) : (
          <LabelDesk
            key={round}
            judgeId={judgeId}
            scorer={scorer}
            traceIds={traces.map(({ traceId }) => traceId)}
            before={begun.before}
            now={agreement}
            minPairs={minPairs}
            onMore={() => {
              setBegun({ before: agreement, version });
              setRound(round + 1);
            }}
            onClose={onClose}
          />
        )
      }
    </Loaded>
  );
}
