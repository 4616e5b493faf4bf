import { useMutation } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { CaseDraft } from "./case-drafts.ts";

/** The question and the reference answer of one case, with the ways to fill the latter. */
export function CaseEditor({
  draft,
  position,
  note,
  onChange,
  onRemove,
}: {
  draft: CaseDraft;
  /** `2 of 3`; null where there is one case. */
  position: string | null;
  /** Why it was left out. */
  note: string | null;
  onChange(change: Partial<CaseDraft>): void;
  onRemove?: (() => void) | undefined;
}) {
  const api = useApi();
  const { query, actualOutput, error } = draft;
  const suggestion = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST("/api/v1/custom-agent-evaluations/datasets/suggest-expected", {
          body: { query, actualOutput, error },
        }),
      ),
    onSuccess: ({ expected }) => onChange({ expected }),
  });
  return (
    <section className="flex flex-col gap-3" aria-label={position === null ? "Case" : `Case ${position}`}>
      {position !== null && (
        <header className="flex items-center justify-between border-b border-line">
          <h3 className="m-0 text-sm text-soft">Case {position}</h3>
          {onRemove && (
            <Button look="ghost" onClick={onRemove}>
              Leave out
            </Button>
          )}
        </header>
      )}
      {note !== null && <p className="m-0 rounded-sm bg-warn-ground px-2.5 py-1.5 text-warn">{note}</p>}
      <TextArea
        label="Question"
        rows={3}
        value={query}
        error={query.trim() === "" ? "A case needs a question." : null}
        onChange={(event) => onChange({ query: event.target.value })}
      />
      <TextArea
        label="Reference answer"
        hint="What a good answer says. Without one the judge rates by the criteria alone."
        rows={3}
        value={draft.expected}
        onChange={(event) => onChange({ expected: event.target.value })}
      />
      <div className="flex flex-wrap gap-2">
        {actualOutput !== null && (
          <Button onClick={() => onChange({ expected: actualOutput })}>Use the agent's answer</Button>
        )}
        <Button
          isBusy={suggestion.isPending}
          hint="Asks the judge once what it would have answered."
          onClick={() => suggestion.mutate()}
        >
          Suggest one
        </Button>
      </div>
      {suggestion.error && <ProblemLine problem={suggestion.error} />}
      <Answer actualOutput={actualOutput} error={error} />
    </section>
  );
}

function Answer({ actualOutput, error }: Pick<CaseDraft, "actualOutput" | "error">) {
  if (actualOutput === null && error === null) return null;
  return (
    <details>
      <summary className="text-soft">{error === null ? "What the agent answered" : "How the agent failed"}</summary>
      <p className="m-0 mt-1 max-h-40 overflow-auto rounded-sm bg-panel p-2 whitespace-pre-wrap break-words">
        {error ?? actualOutput}
      </p>
    </details>
  );
}
