import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { PlusIcon, UploadIcon } from "../ui/icons.tsx";
import { Page } from "../ui/page.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { EmptyState, Loaded, Skeleton } from "../ui/states.tsx";
import { CreateDatasetDialog } from "./create-dataset-dialog.tsx";
import { DatasetsTable } from "./datasets-table.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { NoDatasets } from "./no-datasets.tsx";
import { datasetsQuery } from "./queries.ts";

const route = getRouteApi("/p/$projectId/datasets");

/** The project's datasets, and the ways to a new one. */
export function DatasetsPage() {
  const api = useApi();
  const { search = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/datasets" });
  const pages = useInfiniteQuery(datasetsQuery(api, search));
  const datasets = useMemo(() => pages.data?.pages.flatMap((page) => page.datasets) ?? [], [pages.data]);
  const total = pages.data?.pages[0]?.totalCount;
  const [dialog, setDialog] = useState<"create" | "import" | null>(null);
  const close = (): void => setDialog(null);
  const isEmpty = total === 0 && search === "" && !pages.isPlaceholderData;
  return (
    <Page
      title="Datasets"
      isFull
      aside={total !== undefined && !isEmpty && formatCount(total)}
      actions={
        isEmpty ? undefined : (
          <>
            <SearchField
              label="Search datasets"
              group="Datasets"
              className="w-56 max-md:w-full"
              value={search}
              onChange={(text) => void navigate({ search: { search: text }, replace: true })}
            />
            <Button onClick={() => setDialog("import")}>
              <UploadIcon /> Import
            </Button>
            <Button look="primary" onClick={() => setDialog("create")}>
              <PlusIcon /> New dataset
            </Button>
          </>
        )
      }
    >
      <Loaded query={pages}>
        {() => {
          if (isEmpty) {
            return <NoDatasets onCreate={() => setDialog("create")} onImport={() => setDialog("import")} />;
          }
          if (datasets.length > 0) {
            return (
              <DatasetsTable
                datasets={datasets}
                onReachEnd={() => {
                  if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
                }}
              />
            );
          }
          // The whole list is still loading after the search was cleared.
          if (search === "") return <Skeleton className="p-4" />;
          return (
            <EmptyState
              title={`No dataset matches "${search}"`}
              actions={<Button onClick={() => void navigate({ search: {}, replace: true })}>Clear the search</Button>}
            >
              Names and descriptions were searched.
            </EmptyState>
          );
        }}
      </Loaded>
      <CreateDatasetDialog isOpen={dialog === "create"} onClose={close} />
      <ImportDialog isOpen={dialog === "import"} onClose={close} />
    </Page>
  );
}
