import { WordDiff } from "../ui/word-diff.tsx";
import { diffRubrics } from "./rubric-changes.ts";

type Snapshot = Readonly<Record<string, unknown>>;

/** The changes between two versions of a judge, word by word. */
export function RubricDiff({ before, after }: { before: Snapshot; after: Snapshot }) {
  const changes = diffRubrics(before, after);
  if (changes.length === 0) return <p className="m-0 text-soft">Nothing that judges read.</p>;
  return (
    <div className="flex flex-col gap-3">
      {changes.map((change) => (
        <div key={change.key}>
          <p className="m-0 mb-0.5 text-xs font-medium text-faint">{change.label}</p>
          <WordDiff before={change.before} after={change.after} />
        </div>
      ))}
    </div>
  );
}
