import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import type { Rubric } from "./rubric.ts";
import { RubricView } from "./rubric-view.tsx";
import type { Verdict } from "./verdict.ts";
import { WhyPart } from "./why-part.tsx";
import {
  judgeScorersQuery,
  rubricDatasetQuery,
  scorerGroupsQuery,
  settingsVersionsQuery,
  type VerdictRecord,
} from "./why-queries.ts";

/** The rubric behind the rating: from the record, else from the judge's version, else the current one. */
export function WhyRubric({
  verdict,
  record,
  scorer,
  isLoading,
}: {
  verdict: Verdict;
  record: VerdictRecord | undefined;
  scorer: { _id: string; version: number; judge: Rubric } | undefined;
  isLoading: boolean;
}) {
  const { version } = verdict.scorer;
  if (record !== undefined) {
    return (
      <WhyPart title="Rubric">
        <RubricView rubric={record.rubric} />
      </WhyPart>
    );
  }
  if (scorer !== undefined && version !== null && version < scorer.version) {
    return <RubricThen settingsId={scorer._id} version={version} />;
  }
  return <RubricOf verdict={verdict} current={scorer?.judge} isLoading={isLoading} />;
}

/** The rubric of the version that judged, if a newer version is current. */
function RubricThen({ settingsId, version }: { settingsId: string; version: number }) {
  const versions = useQuery(settingsVersionsQuery(useApi(), settingsId)).data;
  if (versions === undefined) return null;
  const found = versions.find(({ versionNumber }) => versionNumber === version);
  return (
    <WhyPart title={`Rubric, version ${version}`}>
      {found === undefined ? (
        <p className="m-0 text-soft">This version was deleted.</p>
      ) : (
        <RubricView rubric={found.snapshot} />
      )}
    </WhyPart>
  );
}

/** The current rubric. A group shows its members; a run without a judge shows the criteria of its dataset. */
function RubricOf({
  verdict: { scorer },
  current,
  isLoading,
}: {
  verdict: Verdict;
  current: Rubric | undefined;
  isLoading: boolean;
}) {
  const api = useApi();
  const isUnknown = current === undefined && !isLoading;
  const dataset = useQuery({
    ...rubricDatasetQuery(api, scorer.settingsId ?? ""),
    enabled: isUnknown && scorer.kind === "judge" && scorer.settingsId !== null,
    retry: false,
  });
  if (scorer.kind === "group") return <Members groupId={scorer.evaluatorId} name={scorer.name} />;
  const rubric = current ?? dataset.data;
  if (rubric === undefined) return null;
  return (
    <WhyPart title={current === undefined ? "Current criteria of the dataset" : "Current rubric"}>
      <RubricView rubric={rubric} />
    </WhyPart>
  );
}

function Members({ groupId, name }: { groupId: string | null; name: string | null }) {
  const api = useApi();
  const groups = useQuery(scorerGroupsQuery(api)).data ?? [];
  const scorers = useQuery(judgeScorersQuery(api)).data ?? [];
  const group = groups.find((each) => (groupId === null ? each.name === name : each._id === groupId));
  if (group === undefined) return null;
  return (
    <WhyPart title="Members, as they are now">
      <ul className="m-0 list-none p-0">
        {group.members.map(({ refId, kind, weight, gate }) => (
          <li key={refId} className="flex gap-3 border-b border-line py-1.5 last:border-b-0">
            <span className="min-w-0 flex-1 truncate">{scorers.find(({ _id }) => _id === refId)?.name ?? kind}</span>
            <span className="text-soft">{gate ? "must pass" : `weight ${weight}`}</span>
          </li>
        ))}
      </ul>
    </WhyPart>
  );
}
