import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { SelectField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { WordDiff } from "../ui/word-diff.tsx";
import { type CaseChange, compareSnapshots, differingParts } from "./compare-snapshots.ts";
import type { DatasetVersion, Question } from "./queries.ts";

/** The changes of a version against an earlier one: cases added, removed and changed word by word, and settings. */
export function VersionChanges({
  chosen,
  base,
  older,
  hasEarlier,
}: {
  chosen: DatasetVersion;
  base: DatasetVersion | null;
  older: readonly DatasetVersion[];
  /** There may be versions before those of `older`. */
  hasEarlier: boolean;
}) {
  const navigate = useNavigate({ from: "/p/$projectId/datasets/$datasetId" });
  const changes = useMemo(
    () => (base === null ? null : compareSnapshots(base.snapshot, chosen.snapshot)),
    [base, chosen],
  );
  if (base === null || changes === null) {
    const questions = (chosen.snapshot.questions ?? []) as Question[];
    const isFirst = chosen.versionNumber === 1;
    const which = isFirst ? "The first version" : `Version ${chosen.versionNumber} is the earliest one`;
    return (
      <p className="m-0 text-soft">
        {which}
        {hasEarlier && " shown"}, with {countOf(questions.length, "case")}.
      </p>
    );
  }
  const { cases, settings } = changes;
  const isNothing = cases.added.length + cases.removed.length + cases.changed.length + settings.length === 0;
  return (
    <div className="flex flex-col gap-6">
      <div className="flex flex-wrap items-center gap-3">
        <h2 className="m-0 text-base">Version {chosen.versionNumber} against</h2>
        <div className="w-40">
          <SelectField
            label="The version before"
            isLabelHidden
            value={base.versionNumber}
            onChange={({ target }) =>
              void navigate({ search: (before) => ({ ...before, against: Number(target.value) }) })
            }
          >
            {older.map(({ versionNumber }) => (
              <option key={versionNumber} value={versionNumber}>
                version {versionNumber}
              </option>
            ))}
          </SelectField>
        </div>
      </div>
      {isNothing && <p className="m-0 text-soft">Nothing but the order of the cases, or how they are written.</p>}
      <Changes title="changed" changes={cases.changed} />
      <Changes title="added" changes={cases.added} />
      <Changes title="removed" changes={cases.removed} />
      {settings.length > 0 && (
        <Section title={countOf(settings.length, "setting")} aside="changed">
          <dl className="m-0 flex flex-col gap-3">
            {settings.map(({ name, before, after }) => (
              <Change key={name} label={name}>
                <WordDiff before={textOf(before)} after={textOf(after)} />
              </Change>
            ))}
          </dl>
        </Section>
      )}
    </div>
  );
}

function Changes({ title, changes }: { title: string; changes: readonly CaseChange[] }) {
  if (changes.length === 0) return null;
  return (
    <Section title={countOf(changes.length, "case")} aside={title}>
      <dl className="m-0 flex flex-col gap-3">
        {changes.map(({ before, after }) => (
          <Change key={`${before?.index}-${after?.index}`} label={`case ${after?.index ?? before?.index}`}>
            <CaseDifference before={before?.question} after={after?.question} />
          </Change>
        ))}
      </dl>
    </Section>
  );
}

/** The differences of a case, each part by its name; an unchanged question is above them. */
function CaseDifference({ before, after }: { before: Question | undefined; after: Question | undefined }) {
  const parts = differingParts(before, after);
  const isSameQuestion = before?.main_question.query === after?.main_question.query;
  return (
    <>
      {isSameQuestion && <p className="m-0 mb-2 break-words text-soft">{after?.main_question.query}</p>}
      <dl className="m-0 flex flex-col gap-2">
        {parts.map(({ name, before: old, after: fresh }) => (
          <div key={name}>
            <dt className="text-xs text-faint">{name}</dt>
            <dd className="m-0">
              <WordDiff before={textOf(old)} after={textOf(fresh)} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Change({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 border-b border-line pb-3 md:grid-cols-[9rem_1fr]">
      <dt className="text-xs leading-5 text-faint">{label}</dt>
      <dd className="m-0 min-w-0">{children}</dd>
    </div>
  );
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
