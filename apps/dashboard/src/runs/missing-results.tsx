import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { countOf } from "../ui/format.ts";
import { EmptyState, Loaded } from "../ui/states.tsx";
import type { Run } from "./case-rows.ts";
import { missingQuery } from "./queries.ts";

interface Missing {
  questionIndex: number;
  runNumber: number;
  idempotencyKey: string;
}

const columns: Column<Missing>[] = [
  { key: "case", header: "Case", width: "4rem", align: "right", cell: ({ questionIndex }) => questionIndex },
  { key: "run", header: "Repetition", width: "6rem", align: "right", cell: ({ runNumber }) => runNumber },
  {
    key: "key",
    header: "Idempotency key to send it under",
    width: "minmax(12rem, 1fr)",
    cell: ({ idempotencyKey }) => <span className="font-mono text-xs">{idempotencyKey}</span>,
  },
];

/** The results that the dataset requires and that were never sent, with the keys to send them under. */
export function MissingResults({ run }: { run: Run }) {
  const missing = useQuery(missingQuery(useApi(), run._id));
  return (
    <Loaded query={missing}>
      {({ missing: rows, submittedCount }) =>
        rows.length === 0 ? (
          <EmptyState title="Nothing is missing">
            {countOf(submittedCount, "result is", "results are")} stored, and the dataset asks for no other.
          </EmptyState>
        ) : (
          <>
            <div className="flex min-h-12 flex-wrap items-center gap-3 px-4 py-2 md:px-6">
              <span className="text-soft">
                {rows.length >= 10_000
                  ? "10,000 or more results are"
                  : countOf(rows.length, "result is", "results are")}{" "}
                missing.{" "}
                {run.status === "in_progress"
                  ? "A client that resumes sends these."
                  : "The run has ended and takes no more; the cases count in no figure."}
              </span>
              <CopyButton
                text={rows.map(({ idempotencyKey }) => idempotencyKey).join("\n")}
                name="the keys"
                label="Copy the keys"
              />
            </div>
            <DataTable
              label="Missing results"
              rows={rows}
              columns={columns}
              rowKey={({ questionIndex, runNumber }) => `${questionIndex}:${runNumber}`}
              card={({ questionIndex, runNumber, idempotencyKey }) => (
                <>
                  Case {questionIndex}, repetition {runNumber}
                  <div className="truncate font-mono text-xs text-soft">{idempotencyKey}</div>
                </>
              )}
            />
          </>
        )
      }
    </Loaded>
  );
}
