import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { classNames } from "../ui/class-names.ts";
import { Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { type DatasetVersion, versionsQuery } from "./queries.ts";
import { VersionChanges } from "./version-changes.tsx";

const route = getRouteApi("/p/$projectId/datasets/$datasetId");

/** The versions of a dataset, and what changed between the chosen one and an earlier one. */
export function VersionsTab({ datasetId }: { datasetId: string }) {
  const versions = useInfiniteQuery(versionsQuery(useApi(), datasetId));
  const search = route.useSearch();
  return (
    <Loaded query={versions}>
      {({ pages }) => {
        const all = pages.flat();
        const [newest, last] = [all[0], all.at(-1)];
        if (newest === undefined || last === undefined) return null;
        const asked = search.version ?? newest.versionNumber;
        const chosen = all.find(({ versionNumber }) => versionNumber === asked);
        const older = chosen === undefined ? [] : all.slice(all.indexOf(chosen) + 1);
        const base = older.find(({ versionNumber }) => versionNumber === search.against) ?? older[0] ?? null;
        const hasEarlier = versions.hasNextPage;
        return (
          <div className="flex min-h-0 min-w-0 flex-1 max-md:flex-col max-md:overflow-auto">
            <nav
              aria-label="Versions"
              className="shrink-0 overflow-auto border-line max-md:max-h-56 max-md:border-b md:w-72 md:border-r"
            >
              <ol className="m-0 list-none p-0">
                {all.map((version) => (
                  <VersionRow key={version._id} version={version} isChosen={version === chosen} />
                ))}
              </ol>
              {hasEarlier && (
                <Button
                  className="mx-4 my-2 md:ml-6"
                  isBusy={versions.isFetchingNextPage}
                  onClick={() => void versions.fetchNextPage()}
                >
                  Show earlier versions
                </Button>
              )}
            </nav>
            <div tabIndex={0} className="min-h-0 min-w-0 flex-1 overflow-auto p-4 outline-offset-[-2px] md:px-6">
              {chosen === undefined ? (
                <p className="m-0 text-soft">
                  {hasEarlier && asked < last.versionNumber
                    ? `Version ${asked} is not shown yet.`
                    : `There is no version ${asked}.`}
                </p>
              ) : (
                <VersionChanges chosen={chosen} base={base} older={older} hasEarlier={hasEarlier} />
              )}
            </div>
          </div>
        );
      }}
    </Loaded>
  );
}

function VersionRow({ version, isChosen }: { version: DatasetVersion; isChosen: boolean }) {
  return (
    <li>
      <Link
        from="/p/$projectId/datasets/$datasetId"
        to="."
        search={{ tab: "versions", version: version.versionNumber }}
        aria-current={isChosen || undefined}
        className={classNames(
          "block border-b border-line px-4 py-2 text-ink no-underline md:pl-6",
          isChosen ? "bg-chosen" : "hover:bg-hover",
        )}
      >
        <span className="flex items-baseline justify-between gap-2">
          <span className="font-medium">Version {version.versionNumber}</span>
          <span className="text-xs text-soft">
            <Time iso={version.createdAt} isAge />
          </span>
        </span>
        <span className="block truncate text-soft" title={version.changeSummary}>
          {version.changeSummary || "first version"}
        </span>
      </Link>
    </li>
  );
}
