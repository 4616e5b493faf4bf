import { countOf } from "../ui/format.ts";
import { CheckIcon } from "../ui/icons.tsx";
import type { Question } from "./queries.ts";
import { RefusedCount, RefusedRows } from "./refused-rows.tsx";

/** The preview of an import: the number of new cases, the refused rows with reasons, and the first cases. */
export function ImportPreview({
  imported,
  skipped,
  skippedCount,
  cases,
}: {
  imported: number;
  skipped: readonly { row: number; reason: string }[];
  skippedCount: number;
  cases: readonly Question[];
}) {
  return (
    <section aria-label="What would be imported" className="flex flex-col gap-4 border-t border-line pt-4">
      <p role="status" className="m-0 flex flex-wrap gap-x-6 gap-y-1">
        <span className="inline-flex items-center gap-1.5">
          <CheckIcon className="size-4 text-good" /> {countOf(imported, "case")} would be added
        </span>
        <RefusedCount count={skippedCount} />
      </p>
      <RefusedRows skipped={skipped} skippedCount={skippedCount} />
      {cases.length > 0 && (
        <div>
          <h3 className="m-0 mb-1 text-sm">{imported > cases.length ? `The first ${cases.length} cases` : "Cases"}</h3>
          <ol className="m-0 list-none p-0">
            {cases.map(({ main_question }, index) => (
              <li key={index} className="grid gap-x-4 border-b border-line py-1 md:grid-cols-2">
                <span className="min-w-0 truncate">{main_question.query}</span>
                <span className="min-w-0 truncate text-soft">
                  {main_question.expectedResults ?? <span className="text-faint">no expected answer</span>}
                </span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}
