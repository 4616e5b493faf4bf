import { type InfiniteData, type UseInfiniteQueryResult, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { Organization } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { Time } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { describeAction, describeDetails } from "./describe-act.ts";
import { LogFilters } from "./log-filters.tsx";
import { OrganizationFrame } from "./organization-frame.tsx";
import { type AuditEvent, logQuery, ownProjectsQuery } from "./queries.ts";

/** The acts in an organization, newest first; for its owner. */
export function LogPage() {
  return (
    <OrganizationFrame title="Log">
      {(organization) =>
        organization.role === "owner" ? (
          <Log organization={organization} />
        ) : (
          <EmptyState title="Only the owner reads the log">
            It says who invited, removed, deleted and changed what in {organization.name}.
          </EmptyState>
        )
      }
    </OrganizationFrame>
  );
}

function Log({ organization }: { organization: Organization }) {
  const filter = useSearch({ from: "/org/$organizationId/log" });
  const log = useInfiniteQuery(logQuery(organization._id, filter));
  const projects = useQuery(ownProjectsQuery);
  const nameOf = (id: string) =>
    projects.data?.projects.find(({ _id }) => _id === id)?.name ??
    (projects.isSuccess ? "a deleted project" : "a project");
  return (
    <>
      <LogFilters organizationId={organization._id} filter={filter} />
      <LogPages log={log} nameOf={nameOf} isNarrowed={filter.action !== undefined || filter.actor !== undefined} />
    </>
  );
}

interface PagesProps {
  log: UseInfiniteQueryResult<InfiniteData<{ events: AuditEvent[] }>>;
  nameOf(projectId: string): string;
  isNarrowed: boolean;
}

function LogPages({ log, nameOf, isNarrowed }: PagesProps) {
  return (
    <Loaded query={log}>
      {({ pages }) => (
        <>
          {pages[0]?.events.length === 0 && (
            <p className="m-0 text-soft">{isNarrowed ? "Nothing of that kind happened." : "Nothing happened yet."}</p>
          )}
          <ol className="m-0 list-none p-0">
            {pages
              .flatMap(({ events }) => events)
              .map((event) => (
                <LogRow key={event._id} event={event} projectName={event.projectId && nameOf(event.projectId)} />
              ))}
          </ol>
          {log.hasNextPage && (
            <div>
              <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
                Show earlier acts
              </Button>
            </div>
          )}
        </>
      )}
    </Loaded>
  );
}

function LogRow({ event, projectName }: { event: AuditEvent; projectName: string | null }) {
  const details = describeDetails(event.details);
  return (
    <li className="grid gap-x-4 border-b border-line py-2 sm:grid-cols-[8rem_1fr]">
      <span className="text-faint tabular-nums">
        <Time iso={event.createdAt} />
      </span>
      <div className="min-w-0">
        <div className="flex flex-wrap gap-x-2">
          <span className="font-medium">{describeAction(event.action)}</span>
          <span className="text-soft">
            by {actorOf(event, projectName)}
            {projectName !== null && event.actor.type !== "key" && ` in ${projectName}`}
          </span>
        </div>
        {details !== "" && <div className="text-xs break-words text-faint">{details}</div>}
      </div>
    </li>
  );
}

function actorOf({ actor }: AuditEvent, projectName: string | null): string {
  if (actor.type === "key") return `the key of ${projectName ?? "a project"}`;
  if (actor.type === "admin") return "the operator";
  return actor.email ?? "a deleted account";
}
