import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { Button } from "../ui/button.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { EmptyState } from "../ui/states.tsx";
import { CasePanel } from "./case-panel.tsx";
import { findCases } from "./case-rules.ts";
import { CasesTable } from "./cases-table.tsx";
import type { Dataset } from "./queries.ts";
import { SearchBox } from "./search-box.tsx";

const route = getRouteApi("/p/$projectId/datasets/$datasetId");

/** The cases of a dataset, searched, with the chosen one beside them. */
export function CasesTab({ dataset }: { dataset: Dataset }) {
  const { search = "", case: open } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/datasets/$datasetId" });
  const { questions } = dataset;
  const found = useMemo(() => findCases(questions, search), [questions, search]);
  const choose = (index: number | undefined): void =>
    void navigate({ search: (before) => ({ ...before, case: index }) });
  const clear = (): void => void navigate({ search: (before) => ({ ...before, search: undefined }), replace: true });
  const question = open === undefined ? undefined : questions[open];
  if (questions.length === 0) return <NoCases />;
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <div className="flex flex-wrap items-center gap-3 px-4 py-2 md:px-6">
          <SearchBox
            label="Search cases"
            value={search}
            onChange={(text) =>
              void navigate({ search: (before) => ({ ...before, search: text || undefined }), replace: true })
            }
          />
          {search !== "" && (
            <span role="status" className="text-soft">
              {formatCount(found.length)} of {countOf(questions.length, "case")}
            </span>
          )}
        </div>
        {found.length === 0 ? (
          <EmptyState title={`No case matches "${search}"`} actions={<Button onClick={clear}>Clear the search</Button>}>
            Questions, expected answers, guidelines, splits and tags were searched.
          </EmptyState>
        ) : (
          <CasesTable cases={found} openIndex={open} onOpen={choose} />
        )}
      </div>
      {open !== undefined && question !== undefined && (
        <CasePanel key={open} index={open} question={question} onClose={() => choose(undefined)} />
      )}
    </div>
  );
}

function NoCases() {
  return (
    <EmptyState title="No cases yet">
      Select traces that went wrong and press <kbd>a</kbd>: what was asked becomes a case.
    </EmptyState>
  );
}
