import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { judgeScorersQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Page } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { draftOf, emptyDraft } from "./draft.ts";
import { JudgeForm } from "./judge-form.tsx";

const newRoute = getRouteApi("/p/$projectId/judges/new");
const editRoute = getRouteApi("/p/$projectId/judges/$judgeId/edit");

export function NewJudgePage() {
  const api = useApi();
  const { from } = newRoute.useSearch();
  const judges = useQuery(judgeScorersQuery(api));
  return (
    <Page title="New judge">
      <Loaded query={judges}>
        {(all) => {
          const original = all.find(({ _id }) => _id === from);
          const initial =
            original === undefined
              ? emptyDraft
              : { ...draftOf(original), name: `${original.name} copy`, live: "no" as const };
          return (
            <JudgeForm key={from} judge={null} initial={initial} draftName={`${api.projectId}.new.${from ?? ""}`} />
          );
        }}
      </Loaded>
    </Page>
  );
}

/** The form of a judge. A changed rubric becomes its next version. */
export function EditJudgePage() {
  const api = useApi();
  const { judgeId } = editRoute.useParams();
  const judges = useQuery(judgeScorersQuery(api));
  const judge = judges.data?.find(({ _id }) => _id === judgeId);
  return (
    <Page title={judge === undefined ? "Edit judge" : `Edit ${judge.name}`}>
      <Loaded query={judges}>
        {() =>
          judge === undefined ? (
            <EmptyState title="Not here, or not yours">
              The judge may have been deleted, or it belongs to another project.
            </EmptyState>
          ) : (
            <JudgeForm
              key={judge._id}
              judge={judge}
              initial={draftOf(judge)}
              draftName={`${api.projectId}.${judge._id}`}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
