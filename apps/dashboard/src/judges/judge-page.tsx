import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { judgeScorersQuery, scorerGroupsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink, IconButton } from "../ui/button.tsx";
import { EditIcon, MoreIcon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu.tsx";
import { Badge, Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { DeleteJudge } from "./delete-judge.tsx";
import { GroupContent } from "./group-content.tsx";
import { JudgeContent } from "./judge-content.tsx";
import type { Judge } from "./queries.ts";

const route = getRouteApi("/p/$projectId/judges/$judgeId");

/** One judge: its trustworthiness, the versions of its rubric, its ratings, and its uses. */
export function JudgePage() {
  const api = useApi();
  const { judgeId } = route.useParams();
  const judges = useQuery(judgeScorersQuery(api));
  const groups = useQuery(scorerGroupsQuery(api));
  const judge = judges.data?.find(({ _id }) => _id === judgeId);
  const group = groups.data?.find(({ _id }) => _id === judgeId);
  const found = judge ?? group;
  return (
    <Page
      title={found?.name ?? "Judge"}
      heading={
        judge === undefined ? undefined : (
          <span className="flex flex-wrap items-center gap-2">
            {judge.name} <Standing judge={judge} />
          </span>
        )
      }
      aside={found?.description}
      actions={judge !== undefined ? <Acts judge={judge} /> : group && <EditGroup groupId={group._id} />}
      isFull
    >
      <Loaded query={judges}>
        {(all) =>
          judge !== undefined ? (
            <JudgeContent judge={judge} />
          ) : (
            <Loaded query={groups}>
              {() =>
                group !== undefined ? (
                  <GroupContent group={group} judges={all} />
                ) : (
                  <EmptyState title="Not here, or not yours">
                    The judge may have been deleted, or it belongs to another project.
                  </EmptyState>
                )
              }
            </Loaded>
          )
        }
      </Loaded>
    </Page>
  );
}

function Standing({ judge: { online, seeded, version } }: { judge: Judge }) {
  return (
    <span className="flex gap-1.5 font-normal">
      {online === null ? (
        <Badge>runs only</Badge>
      ) : online.enabled ? (
        <Badge look="good">live</Badge>
      ) : (
        <Badge>paused</Badge>
      )}
      <Badge>version {version}</Badge>
      {seeded && <Badge>built-in</Badge>}
    </span>
  );
}

function EditGroup({ groupId }: { groupId: string }) {
  const { projectId } = useApi();
  return (
    <ButtonLink to="/p/$projectId/judges" params={{ projectId }} search={{ tab: "groups", edit: groupId }}>
      <EditIcon /> Edit
    </ButtonLink>
  );
}

function Acts({ judge }: { judge: Judge }) {
  const { projectId } = useApi();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const params = { projectId, judgeId: judge._id };
  const edit = { to: "/p/$projectId/judges/$judgeId/edit", params } as const;
  useShortcuts("Judge", [{ keys: "e", label: "Edit the judge", run: () => void navigate(edit) }]);
  return (
    <>
      {judge.online !== null && judge.online.scope === "trace" && (
        <ButtonLink to="/p/$projectId/judges/$judgeId/agreement" params={params}>
          Agreement
        </ButtonLink>
      )}
      <ButtonLink {...edit}>
        <EditIcon /> Edit
      </ButtonLink>
      <Menu
        align="end"
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
        items={[
          {
            label: "Duplicate",
            onChoose: () =>
              void navigate({ to: "/p/$projectId/judges/new", params: { projectId }, search: { from: judge._id } }),
          },
          null,
          {
            label: "Delete",
            look: "danger",
            onChoose: () => setDeleting(true),
            disabledBecause: judge.online?.builtinKey === undefined ? undefined : "built-in: it can be paused",
          },
        ]}
      />
      <DeleteJudge judge={judge} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}
