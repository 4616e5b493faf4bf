import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Loaded } from "../ui/states.tsx";
import { useSessionVerdicts } from "./session-verdicts.ts";
import type { Verdict } from "./verdict.ts";
import { verdictsOfEvaluations } from "./verdict-sources.ts";
import { WhyChoice, type WhyChoiceProps } from "./why-choice.tsx";
import { traceEvaluationsQuery } from "./why-queries.ts";

export interface WhyPanelProps extends Pick<WhyChoiceProps, "verdicts"> {
  chosen?: string | undefined;
  /** Reports the selected rating, for pages that keep it in the URL. Without it the panel keeps it itself. */
  onChoose?: WhyChoiceProps["onChoose"];
  onClose(): void;
}

/**
 * The explanation of a score, beside a page's content (a flex row: `<div className="flex min-h-0 flex-1">`). It covers
 * the page in a narrow window. Escape closes it. For other places, such as a tab, use {@link WhyChoice}.
 */
export function WhyPanel({ verdicts, chosen, onChoose, onClose }: WhyPanelProps) {
  return (
    <WhySide onClose={onClose}>
      <OwnChoice verdicts={verdicts} chosen={chosen} onChoose={onChoose} />
    </WhySide>
  );
}

/** The explanation of the rating of a trace by one live judge or group, beside those by the others. */
export function TraceWhy({ traceId, evaluatorId, onClose }: { traceId: string; evaluatorId: string; onClose(): void }) {
  const evaluations = useQuery(traceEvaluationsQuery(useApi(), traceId));
  return (
    <WhySide onClose={onClose}>
      <Loaded query={evaluations}>
        {(said) => {
          const verdicts = verdictsOfEvaluations(said, { _id: traceId });
          const own = verdicts.find(({ scorer }) => scorer.evaluatorId === evaluatorId);
          return <OwnChoice verdicts={verdicts} chosen={own?.key} />;
        }}
      </Loaded>
    </WhySide>
  );
}

/** The explanation of the ratings of a session as a whole. */
export function SessionWhy({
  sessionId,
  chosen,
  onClose,
}: {
  sessionId: string;
  /** The id of the rating; by default the newest one. */
  chosen?: string | undefined;
  onClose(): void;
}) {
  const verdicts = useSessionVerdicts(sessionId);
  return (
    <WhySide onClose={onClose}>
      <Loaded query={verdicts}>{(loaded) => <OwnChoice verdicts={loaded} chosen={chosen} />}</Loaded>
    </WhySide>
  );
}

function WhySide({ onClose, children }: { onClose(): void; children: React.ReactNode }) {
  return (
    <SidePanel title="Why this score" onClose={onClose} width="narrow">
      {children}
    </SidePanel>
  );
}

function OwnChoice({
  verdicts,
  chosen,
  onChoose,
}: {
  verdicts: readonly Verdict[];
  chosen: string | undefined;
  onChoose?: WhyChoiceProps["onChoose"] | undefined;
}) {
  const [own, setOwn] = useState<string>();
  return (
    <WhyChoice
      verdicts={verdicts}
      chosen={onChoose === undefined ? (own ?? chosen) : chosen}
      onChoose={onChoose ?? setOwn}
    />
  );
}
