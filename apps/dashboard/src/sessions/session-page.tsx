import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { ScoreList } from "../blocks/score-list.tsx";
import { useSessionVerdicts } from "../blocks/session-verdicts.ts";
import { TracesLink } from "../blocks/traces-link.tsx";
import type { Verdict } from "../blocks/verdict.ts";
import { SessionWhy } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { countOf, formatCount, formatDuration } from "../ui/format.ts";
import { Page, Time } from "../ui/page.tsx";
import { Score } from "../ui/score.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { clientScoresQuery, type Turn, turnsQuery } from "./queries.ts";
import { SessionTurns } from "./session-turns.tsx";
import { TurnWhy } from "./turn-why.tsx";
import { totalsOf } from "./turns.ts";

const route = getRouteApi("/p/$projectId/sessions/$sessionId");
/** In the URL, in place of a verdict: the newest one of the session. */
const ofSession = "session";

/** One session: its turns as a chat, each with its rating, and the rating of the whole session. */
export function SessionPage() {
  const api = useApi();
  const { sessionId } = route.useParams();
  const { turn: chosen, why } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/sessions/$sessionId" });
  const query = useInfiniteQuery(turnsQuery(api, sessionId));
  const turns = useMemo(() => query.data?.pages.flatMap(({ traces }) => traces).toReversed() ?? [], [query.data]);
  const { data: verdicts = [] } = useSessionVerdicts(sessionId);
  const turn = turns.find(({ _id }) => _id === chosen);
  const isOfSession = why === ofSession || verdicts.some(({ key }) => key === why);
  const close = (): void => void navigate({ search: (before) => ({ ...before, why: undefined }) });
  return (
    <Page
      title={`Session ${sessionId}`}
      heading={
        <span className="flex min-w-0 items-center">
          <span className="truncate">{sessionId}</span>
          <CopyButton text={sessionId} name="the session id" />
        </span>
      }
      aside={
        turns.length > 0 && <Figures sessionId={sessionId} turns={turns} all={query.data?.pages[0]?.totalCount ?? 0} />
      }
      actions={
        <ButtonLink to="/p/$projectId/traces" params={{ projectId: api.projectId }} search={{ session: sessionId }}>
          Traces
        </ButtonLink>
      }
      isFull
    >
      <div className="flex min-h-0 flex-1 border-t border-line">
        <div tabIndex={0} className="min-h-0 min-w-0 flex-1 overflow-y-auto px-4 pb-8 outline-offset-[-2px] md:px-6">
          <Loaded query={query}>
            {() =>
              turns.length === 0 ? (
                <EmptyState title="Not here, or not yours">
                  No trace of this project has the session id {sessionId}. It may have been deleted, or it is older than
                  the project keeps traces.
                </EmptyState>
              ) : (
                <>
                  <SessionRatings
                    verdicts={verdicts}
                    onWhy={(key) => void navigate({ search: (before) => ({ ...before, why: key }) })}
                  />
                  <ClientScores sessionId={sessionId} />
                  {query.hasNextPage && (
                    <Button
                      className="mt-3"
                      isBusy={query.isFetchingNextPage}
                      onClick={() => void query.fetchNextPage()}
                    >
                      Show earlier turns
                    </Button>
                  )}
                  <SessionTurns
                    turns={turns}
                    isWhole={!query.hasNextPage}
                    chosen={chosen}
                    onChoose={(id, isStep) =>
                      void navigate({ search: (before) => ({ ...before, turn: id }), replace: isStep })
                    }
                    onWhy={(id) => void navigate({ search: { turn: id, why: "turn" } })}
                  />
                </>
              )
            }
          </Loaded>
        </div>
        {isOfSession && (
          <SessionWhy key={why} sessionId={sessionId} chosen={why === ofSession ? undefined : why} onClose={close} />
        )}
        {why !== undefined && !isOfSession && turn !== undefined && (
          <TurnWhy key={turn._id} turn={turn} chosen={why} onClose={close} />
        )}
      </div>
    </Page>
  );
}

function Figures({ sessionId, turns, all }: { sessionId: string; turns: readonly Turn[]; all: number }) {
  const { latencyMs, tokens, failed, firstAt, lastAt } = totalsOf(turns);
  const isWhole = turns.length >= all;
  return (
    <>
      <span className="tabular-nums">
        <TracesLink traces={{ session: sessionId }}>{countOf(all, "turn")}</TracesLink>
      </span>
      {!isWhole && <span className="text-faint">of the newest {formatCount(turns.length)}:</span>}
      {failed > 0 && (
        <span className="text-bad tabular-nums">
          <TracesLink traces={isWhole ? { session: sessionId, error: true } : undefined}>
            {formatCount(failed)} failed
          </TracesLink>
        </span>
      )}
      <span className="tabular-nums" title="Of all turns together">
        {formatDuration(latencyMs)}
      </span>
      {tokens !== null && <span className="tabular-nums">{formatCount(tokens)} tok</span>}
      <span>
        from <Time iso={firstAt} />
        {firstAt !== lastAt && (
          <>
            {" "}
            to <Time iso={lastAt} />
          </>
        )}
      </span>
    </>
  );
}

function SessionRatings({ verdicts, onWhy }: { verdicts: readonly Verdict[]; onWhy(key: string): void }) {
  if (verdicts.length === 0) return null;
  return (
    <section
      aria-label="Ratings of the session"
      className="flex flex-wrap items-center gap-x-5 gap-y-1 border-b border-line py-3"
    >
      <h2 className="m-0 text-xs font-normal text-faint">The whole talk</h2>
      {verdicts.map(({ key, rating, threshold, scorer, createdAt }) => (
        <span key={key} className="inline-flex items-center gap-1.5">
          <Score rating={rating} threshold={threshold} scorer={scorer.name ?? undefined} onWhy={() => onWhy(key)} />
          <span className="text-soft">{scorer.name ?? scorer.kind}</span>
          <span className="text-xs text-faint">
            <Time iso={createdAt} isAge />
          </span>
        </span>
      ))}
    </section>
  );
}

/** What clients say of the session. */
function ClientScores({ sessionId }: { sessionId: string }) {
  const { data: scores = [] } = useQuery(clientScoresQuery(useApi(), sessionId));
  return scores.length === 0 ? null : <ScoreList title="Scores of the session" scores={scores} />;
}
