import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { calibrationQuery, judgeScorersQuery, scorerGroupsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { AgreementContent } from "./agreement-content.tsx";
import { scorerOf } from "./agreement-scorer.ts";
import { drawnAtOnce, LabelFlow } from "./label-flow.tsx";
import { currentOf, versionsOf } from "./trust.ts";

const route = getRouteApi("/p/$projectId/judges/$judgeId/agreement");

/** The reliability of a live judge: its verdicts compared with people's labels on the same traces. */
export function AgreementPage() {
  const api = useApi();
  const { judgeId } = route.useParams();
  const { version, label: isLabelling } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/judges/$judgeId/agreement" });
  const judges = useQuery(judgeScorersQuery(api));
  const groups = useQuery(scorerGroupsQuery(api));
  const calibration = useQuery(calibrationQuery(api));
  const scorer = scorerOf(judgeId, judges.data ?? [], groups.data ?? []);
  // A group has no versions.
  const current = judges.data?.find(({ _id }) => _id === judgeId)?.version ?? null;
  const versions = scorer === null ? [] : versionsOf(calibration.data?.scorers ?? [], scorer.key);
  const shown = versions.find(({ scorerVersion }) => scorerVersion === version) ?? currentOf(versions, current);
  const shownVersion = shown === undefined ? current : shown.scorerVersion;
  const name = scorer?.name ?? "Judge";
  const setLabelling = (on: boolean): void =>
    void navigate({ search: (before) => ({ ...before, label: on || undefined, why: undefined }) });
  useShortcuts(
    "Agreement",
    isLabelling || scorer === null || scorer.isSession
      ? []
      : [{ keys: "l", label: `Label ${drawnAtOnce} random traces`, run: () => setLabelling(true) }],
  );
  return (
    <Page
      title={`${name}: agreement with people`}
      heading={
        <>
          {scorer === null ? (
            name
          ) : (
            <Link
              to="/p/$projectId/judges/$judgeId"
              params={{ projectId: api.projectId, judgeId }}
              className="text-ink hover:text-accent"
            >
              {name}
            </Link>
          )}
          {isLabelling ? ": random sample" : ": agreement"}
        </>
      }
      actions={
        !isLabelling &&
        scorer !== null && (
          <>
            {versions.length > 0 && (
              <SelectField
                label="Version"
                isLabelHidden
                className="w-auto"
                value={shownVersion ?? ""}
                onChange={(event) =>
                  void navigate({
                    search: (before) => ({ ...before, version: Number(event.target.value) || undefined }),
                  })
                }
              >
                {currentOf(versions, current) === undefined && (
                  <option value={current ?? ""}>Version {current}, no labels</option>
                )}
                {versions.map(({ scorerVersion, pairs }) => (
                  <option key={scorerVersion} value={scorerVersion ?? ""}>
                    {scorerVersion === null ? "Without a version" : `Version ${scorerVersion}`},{" "}
                    {countOf(pairs, "label")}
                  </option>
                ))}
              </SelectField>
            )}
            {!scorer.isSession && (
              <Button look="primary" onClick={() => setLabelling(true)}>
                Label {drawnAtOnce} at random <kbd className="max-md:hidden">l</kbd>
              </Button>
            )}
          </>
        )
      }
      isFull
    >
      <Loaded query={calibration}>
        {({ minPairs, since }) =>
          scorer === null ? (
            <Loaded query={judges}>
              {(all) => <Loaded query={groups}>{() => <NotLive isThere={isKnown(judgeId, all)} />}</Loaded>}
            </Loaded>
          ) : isLabelling ? (
            <LabelFlow
              judgeId={judgeId}
              scorer={scorer}
              version={shownVersion}
              agreement={shown}
              minPairs={minPairs}
              onClose={() => setLabelling(false)}
            />
          ) : (
            <AgreementContent scorer={scorer} agreement={shown} minPairs={minPairs} since={since} />
          )
        }
      </Loaded>
    </Page>
  );
}

const isKnown = (id: string, judges: readonly { _id: string }[]): boolean => judges.some(({ _id }) => _id === id);

function NotLive({ isThere }: { isThere: boolean }) {
  return isThere ? (
    <EmptyState title="This judge rates no live traffic">
      Votes are on traces, so agreement is measured of live ratings. Edit the judge and let it rate a share of them.
    </EmptyState>
  ) : (
    <EmptyState title="Not here, or not yours">
      The judge may have been deleted, or it belongs to another project.
    </EmptyState>
  );
}
