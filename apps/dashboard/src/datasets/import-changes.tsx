import type { paths } from "../api/schema.gen.d.ts";
import { countOf, formatCount } from "../ui/format.ts";
import { Badge } from "../ui/page.tsx";
import { RefusedCount, RefusedRows } from "./refused-rows.tsx";

type Imported =
  paths["/api/v1/custom-agent-evaluations/datasets/{datasetId}/import"]["post"]["responses"][200]["content"]["application/json"];

const looks = { added: "good", changed: "warn", removed: "bad" } as const;

/** The planned changes of an import: the counts, the first cases, and the invalid rows. */
export function ImportChanges({ caseCount, added, changed, equal, removed, cases, skipped, skippedCount }: Imported) {
  const changes = added + changed + removed;
  return (
    <section aria-label="What would change" className="flex flex-col gap-4 border-t border-line pt-4">
      <p role="status" className="m-0 flex flex-wrap gap-x-6 gap-y-1">
        <span>{formatCount(added)} new</span>
        <span>{formatCount(changed)} changed</span>
        <span className="text-soft">{formatCount(equal)} equal</span>
        {removed > 0 && <span className="text-bad">{formatCount(removed)} removed</span>}
        <RefusedCount count={skippedCount} />
        <span className="text-soft">{countOf(caseCount, "case")} afterwards</span>
      </p>
      <RefusedRows skipped={skipped} skippedCount={skippedCount} />
      {cases.length > 0 && (
        <div>
          <h3 className="m-0 mb-1 text-sm">
            {changes > cases.length ? `The first ${cases.length} of ${formatCount(changes)} changes` : "Changes"}
          </h3>
          <ul className="m-0 list-none p-0">
            {cases.map(({ change, case: { main_question: main } }, index) => (
              <li
                key={index}
                className="grid grid-cols-[5.5rem_minmax(0,1fr)] gap-x-4 border-b border-line py-1 md:grid-cols-[5.5rem_minmax(0,1fr)_minmax(0,1fr)]"
              >
                <span>
                  <Badge look={looks[change]}>{change === "added" ? "new" : change}</Badge>
                </span>
                <span className="truncate">{main.query}</span>
                <span className="truncate text-soft max-md:col-start-2">
                  {main.expectedResults || <span className="text-faint">no expected answer</span>}
                </span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}

/** `3 cases added, 1 changed.`: the result of an import. */
export function importSentence({ added, changed, removed }: Pick<Imported, "added" | "changed" | "removed">): string {
  const rest = [changed > 0 && `${formatCount(changed)} changed`, removed > 0 && `${formatCount(removed)} removed`];
  return `${[`${countOf(added, "case")} added`, ...rest.filter(Boolean)].join(", ")}.`;
}
