import { Link, useNavigate } from "@tanstack/react-router";
import { memo, useEffect, useMemo, useRef } from "react";
import { Conversation } from "../blocks/conversation.tsx";
import { useWhyKey } from "../blocks/why-key.ts";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { formatCount, formatDuration } from "../ui/format.ts";
import { ErrorIcon } from "../ui/icons.tsx";
import { Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { leaveControl, useShortcuts } from "../ui/shortcuts.tsx";
import type { Turn } from "./queries.ts";
import { turnMessages } from "./turns.ts";

/** The turns in chronological order; `j` and `k` move between them. */
export function SessionTurns({
  turns,
  isWhole,
  chosen,
  onChoose,
  onWhy,
}: {
  turns: readonly Turn[];
  /** The first turn in the list is the session's first. */
  isWhole: boolean;
  chosen: string | undefined;
  onChoose(id: string, isStep: boolean): void;
  onWhy(id: string): void;
}) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const at = turns.findIndex(({ _id }) => _id === chosen);
  const turn = turns[at];
  function move(step: 1 | -1): void {
    const next = turns[at === -1 ? 0 : at + step];
    if (next === undefined) return;
    leaveControl();
    onChoose(next._id, true);
  }
  useShortcuts("Session", [
    { keys: "j", label: "Next turn", run: () => move(1) },
    { keys: "k", label: "Turn before", run: () => move(-1) },
    ...(turn === undefined
      ? []
      : [
          {
            keys: "Enter",
            label: "Open the trace of the turn",
            run: () => void navigate({ to: "/p/$projectId/traces/$traceId", params: { projectId, traceId: turn._id } }),
          },
        ]),
  ]);
  useWhyKey(turn === undefined || turn.judgeScores === null ? undefined : () => onWhy(turn._id));
  return (
    <ol aria-label="Turns" className="m-0 list-none p-0">
      {turns.map((each, index) => (
        <TurnView
          key={each._id}
          turn={each}
          place={isWhole ? index + 1 : null}
          isFirst={isWhole && index === 0}
          isChosen={each._id === chosen}
          onWhy={onWhy}
        />
      ))}
    </ol>
  );
}

interface TurnViewProps {
  turn: Turn;
  /** Counted from the session's first turn; null if that is not loaded. */
  place: number | null;
  isFirst: boolean;
  isChosen: boolean;
  onWhy(id: string): void;
}

const TurnView = memo(function TurnView({ turn, place, isFirst, isChosen, onWhy }: TurnViewProps) {
  const { projectId } = useApi();
  const item = useRef<HTMLLIElement>(null);
  const messages = useMemo(() => turnMessages(turn, isFirst), [turn, isFirst]);
  useEffect(() => {
    if (isChosen) item.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  const tokens = (turn.inputTokens ?? 0) + (turn.outputTokens ?? 0);
  const { judgeScores: scores } = turn;
  return (
    <li
      ref={item}
      aria-current={isChosen || undefined}
      className={classNames(
        "-mx-4 border-b border-line px-4 pt-2 pb-3 md:-mx-6 md:px-6",
        isChosen && "bg-panel shadow-[inset_2px_0_0_var(--accent)]",
      )}
    >
      <div className="flex max-w-4xl flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint tabular-nums">
        <Link
          to="/p/$projectId/traces/$traceId"
          params={{ projectId, traceId: turn._id }}
          className="py-1 font-medium text-accent"
        >
          {place === null ? "Turn" : `Turn ${place}`}
        </Link>
        <Time iso={turn.createdAt} />
        <span>{formatDuration(turn.latencyMs)}</span>
        {tokens > 0 && <span>{formatCount(tokens)} tok</span>}
        {turn.model !== undefined && <span className="truncate">{turn.model}</span>}
        <span className="ml-auto text-sm text-ink">
          {scores === null ? (
            <span className="text-xs text-faint">not rated</span>
          ) : (
            <Score
              rating={scores.rating}
              threshold={scores.threshold}
              scorer={scores.scorerName}
              onWhy={() => onWhy(turn._id)}
            />
          )}
        </span>
      </div>
      <Conversation messages={messages} />
      {turn.error !== undefined && (
        <p className="m-0 mt-1 flex max-w-4xl items-start gap-2 rounded-sm bg-bad-ground px-2.5 py-1.5 break-words text-bad">
          <ErrorIcon className="mt-0.5 size-4" />
          {turn.error.slice(0, 1_000)}
        </p>
      )}
    </li>
  );
});
