import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { judgeScorersQuery, scorerGroupsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { countOf } from "../ui/format.ts";
import { PlusIcon } from "../ui/icons.tsx";
import { Page } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { Loaded } from "../ui/states.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { GroupsTab } from "./groups-tab.tsx";
import { JudgeTable } from "./judge-table.tsx";

const route = getRouteApi("/p/$projectId/judges");

/** All judges and scorer groups, with their live traffic and their agreement with people. */
export function JudgesPage() {
  const api = useApi();
  const { tab = "judges", edit } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/judges" });
  const judges = useQuery(judgeScorersQuery(api));
  const groups = useQuery(scorerGroupsQuery(api));
  const live = judges.data?.filter(({ online }) => online?.enabled).length;
  const create = { to: "/p/$projectId/judges/new", params: { projectId: api.projectId } } as const;
  useShortcuts("Judges", [{ keys: "c", label: "New judge", run: () => void navigate(create) }]);
  return (
    <Page
      title="Judges"
      aside={
        judges.data && (
          <span>
            {countOf(judges.data.length, "judge")}, {live} live
          </span>
        )
      }
      actions={
        <ButtonLink {...create} look="primary">
          <PlusIcon /> New judge
        </ButtonLink>
      }
      isFull
    >
      <Tabs
        label="What grades"
        tabs={[
          { key: "judges", label: "Judges" },
          { key: "groups", label: groups.data ? `Groups ${groups.data.length}` : "Groups" },
        ]}
        chosen={tab}
        onChoose={(chosen) => void navigate({ search: { tab: chosen === "judges" ? undefined : chosen } })}
        className="flex min-h-0 flex-1 flex-col"
        rowClassName="px-1 md:px-3"
      >
        {tab === "judges" ? (
          <Loaded query={judges}>{(rows) => <JudgeTable judges={rows} />}</Loaded>
        ) : (
          <Loaded query={groups}>
            {(rows) => (
              <GroupsTab
                groups={rows}
                judges={judges.data ?? []}
                edited={edit}
                onEdit={(id) => void navigate({ search: { tab: "groups", edit: id } })}
              />
            )}
          </Loaded>
        )}
      </Tabs>
    </Page>
  );
}
