import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { Button } from "../ui/button.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { PlusIcon } from "../ui/icons.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState } from "../ui/states.tsx";
import { CasePanel } from "./case-panel.tsx";
import { findCases } from "./case-rules.ts";
import { CasesTable } from "./cases-table.tsx";
import { EditCasePanel } from "./edit-case-panel.tsx";
import type { Dataset } from "./queries.ts";

const route = getRouteApi("/p/$projectId/datasets/$datasetId");

/** The cases of a dataset, searched, with the chosen one beside them. */
export function CasesTab({ dataset }: { dataset: Dataset }) {
  const { search = "", case: open, edit } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/datasets/$datasetId" });
  const { questions } = dataset;
  const found = useMemo(() => findCases(questions, search), [questions, search]);
  const show = (shown: { case?: number; edit?: "case" | "new" }): void =>
    void navigate({ search: ({ case: _case, edit: _edit, ...before }) => ({ ...before, ...shown }) });
  const choose = (index: number | undefined): void => show(index === undefined ? {} : { case: index });
  const add = (): void => show({ edit: "new" });
  useShortcuts("Dataset", [{ keys: "n", label: "Add a case", run: add }]);
  const clear = (): void => void navigate({ search: (before) => ({ ...before, search: undefined }), replace: true });
  const question = open === undefined ? undefined : questions[open];
  const addButton = (
    <Button onClick={add}>
      <PlusIcon /> Case
    </Button>
  );
  const panel =
    edit === "new" || (edit === "case" && open !== undefined) ? (
      <EditCasePanel
        key={edit === "new" ? edit : open}
        dataset={dataset}
        index={edit === "new" ? null : (open ?? null)}
        onClose={() => choose(edit === "new" ? undefined : open)}
        onSaved={choose}
      />
    ) : (
      open !== undefined &&
      question !== undefined && (
        <CasePanel
          key={open}
          {...{ dataset, index: open, question }}
          onEdit={() => show({ case: open, edit: "case" })}
          onClose={() => choose(undefined)}
        />
      )
    );
  if (questions.length === 0) {
    return (
      <div className="flex min-h-0 min-w-0 flex-1">
        <NoCases action={addButton} />
        {panel}
      </div>
    );
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <div className="flex flex-wrap items-center gap-3 px-4 py-2 md:px-6">
          <SearchField
            label="Search cases"
            group="Dataset"
            className="w-56 min-w-0 max-md:w-auto max-md:flex-1"
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
          <div className="ml-auto">{addButton}</div>
        </div>
        {found.length === 0 ? (
          <EmptyState title={`No case matches "${search}"`} actions={<Button onClick={clear}>Clear the search</Button>}>
            Questions, expected answers, guidelines, splits and tags were searched.
          </EmptyState>
        ) : (
          <CasesTable cases={found} openIndex={open} onOpen={choose} />
        )}
      </div>
      {panel}
    </div>
  );
}

function NoCases({ action }: { action: ReactNode }) {
  return (
    <EmptyState title="No cases yet" actions={action}>
      Write the first one, or select traces that went wrong and press <kbd>a</kbd>: what was asked becomes a case.
    </EmptyState>
  );
}
