import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { verdictsOfResult } from "../blocks/verdict-sources.ts";
import { WhyPanel } from "../blocks/why-panel.tsx";
import { useApi } from "../shell/session.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { CaseContent } from "./case-content.tsx";
import { type Run, worstOf } from "./case-rows.ts";
import { NeighbourButtons, useNeighbourKeys } from "./neighbours.tsx";
import { caseQuery } from "./queries.ts";
import type { RunCases } from "./run-cases.ts";

const route = getRouteApi("/p/$projectId/runs/$runId");

/** The open case beside the table: question and answer, or the explanation of its rating. `[` and `]` move to the next case. */
export function OpenCase({
  caseKey,
  run,
  cases: { rows, scorerId, baselineId, readOn },
  onChoose,
}: {
  caseKey: string;
  run: Run;
  cases: RunCases;
  onChoose(key: string | undefined): void;
}) {
  const api = useApi();
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/runs/$runId" });
  const place = rows.findIndex(({ key }) => key === caseKey);
  const row = rows[place];
  const read = useQuery(caseQuery(api, run._id, { key: caseKey, scorer: search.scorer, baselineId }));
  const results = read.data ?? row?.results;
  const shown =
    results?.find(({ _id }) => _id === search.result) ??
    results?.find(({ _id }) => _id === row?.worst._id) ??
    worstOf(results ?? [], scorerId);
  const before = rows[place - 1];
  const after = place === -1 ? undefined : rows[place + 1];
  const goOn = (): void => {
    if (after !== undefined) onChoose(after.key);
    if (place >= rows.length - 2) readOn();
  };
  const neighbours = {
    before: before && (() => onChoose(before.key)),
    after: after && goOn,
  };
  useNeighbourKeys(neighbours);

  if (search.why !== undefined && shown !== undefined) {
    return (
      <WhyPanel
        verdicts={verdictsOfResult(shown, run)}
        chosen={search.why}
        onChoose={(why) => void navigate({ search: (now) => ({ ...now, why }), replace: true })}
        onClose={() => void navigate({ search: (now) => ({ ...now, why: undefined }) })}
      />
    );
  }
  return (
    <SidePanel
      title={shown?.questionIndex === null ? "Result without a case" : `Case ${caseKey}`}
      onClose={() => onChoose(undefined)}
      actions={<NeighbourButtons {...neighbours} />}
    >
      {results !== undefined && shown !== undefined ? (
        <CaseContent key={shown._id} results={results} shown={shown} run={run} baselineId={baselineId} />
      ) : (
        <Loaded query={read}>
          {() => <EmptyState title="No such case">This run has no result of it. It may have been deleted.</EmptyState>}
        </Loaded>
      )}
    </SidePanel>
  );
}
