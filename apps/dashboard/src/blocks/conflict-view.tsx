import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { WordDiff } from "../ui/word-diff.tsx";
import type { Fields, MergedFields } from "./merge-fields.ts";

/**
 * Shows that another user changed the object being edited: both texts of each field, with the choice between them.
 * Fields that only one of them changed are merged.
 */
export function ConflictView<Value extends Fields>({
  mine,
  theirs,
  merge: { merged, conflicts, taken },
  labels,
  what,
  onResolve,
  onDiscard,
  further,
}: {
  mine: Value;
  theirs: Value;
  merge: MergedFields<Value>;
  labels: Readonly<Record<keyof Value & string, string>>;
  /** The changed object, as the beginning of a sentence: `This case`. */
  what: string;
  onResolve(value: Value): void;
  onDiscard(): void;
  /** An alternative action. */
  further?: ReactNode;
}) {
  return (
    <section aria-label="Conflict" className="flex flex-col gap-4 rounded-md border border-warn p-3">
      <p role="alert" className="m-0">
        <b className="font-semibold">{what} was changed while you edited it.</b>{" "}
        {conflicts.length === 0
          ? "You changed other parts than they did. Continue with both."
          : "Choose what to keep. Nothing is saved yet."}
      </p>
      {conflicts.map((name) => (
        <div key={name} className="flex flex-col gap-2">
          <h3 className="m-0 text-sm">{labels[name]}</h3>
          <div className="grid gap-3 sm:grid-cols-2">
            <Side title="Theirs, saved" text={shown(theirs[name])} />
            <Side title="Yours" text={shown(mine[name])} />
          </div>
          <details>
            <summary className="cursor-pointer text-soft">From theirs to yours, word by word</summary>
            <div className="mt-1">
              <WordDiff before={shown(theirs[name])} after={shown(mine[name])} />
            </div>
          </details>
        </div>
      ))}
      {taken.length > 0 && (
        <p className="m-0 text-soft">
          Only they changed: {taken.map((name) => labels[name].toLowerCase()).join(", ")}. That is taken over.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={() => onResolve(merged)}>
          {conflicts.length === 0 ? "Continue with both" : "Keep yours"}
        </Button>
        {conflicts.length > 0 && (
          <Button
            onClick={() =>
              onResolve({ ...merged, ...Object.fromEntries(conflicts.map((name) => [name, theirs[name]])) } as Value)
            }
          >
            Keep theirs
          </Button>
        )}
        {further}
        <Button look="ghost" onClick={onDiscard}>
          Discard all of yours
        </Button>
      </div>
    </section>
  );
}

function Side({ title, text }: { title: string; text: string }) {
  return (
    <div className="min-w-0">
      <div className="mb-1 text-xs text-faint">{title}</div>
      <div className="max-h-60 overflow-auto rounded-sm bg-panel p-2 break-words whitespace-pre-wrap" dir="auto">
        {text}
      </div>
    </div>
  );
}

const shown = (value: string | boolean | undefined): string =>
  typeof value === "boolean" ? (value ? "yes" : "no") : value || "(empty)";
