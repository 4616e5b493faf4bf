import { useMutation } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { TextArea } from "../ui/field.tsx";
import { ProblemLine } from "../ui/states.tsx";
import type { CaseDraft } from "./case-drafts.ts";

type EditedCase = Pick<CaseDraft, "query" | "expected" | "actualOutput" | "error">;

/** The question and the expected answer of one case, with the ways to fill the latter. */
export function CaseEditor({
  draft,
  position,
  note,
  isNew = false,
  onChange,
  onRemove,
}: {
  draft: EditedCase;
  /** `2 of 3`; null for a single case. */
  position: string | null;
  /** Why it was left out. */
  note: string | null;
  /** Nothing has been typed: an empty question is not an error yet. */
  isNew?: boolean;
  onChange(change: Partial<Pick<EditedCase, "query" | "expected">>): void;
  onRemove?: (() => void) | undefined;
}) {
  const { query, actualOutput, error } = draft;
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
        autoFocus={isNew}
        value={query}
        error={query.trim() === "" && !isNew ? "A case needs a question." : null}
        onChange={(event) => onChange({ query: event.target.value })}
      />
      <TextArea
        label="Expected answer"
        hint="What a good answer says. Without one the judge rates by the criteria alone."
        rows={5}
        value={draft.expected}
        onChange={(event) => onChange({ expected: event.target.value })}
      />
      <Suggestion draft={draft} onAccept={(expected) => onChange({ expected })} />
      <Answer actualOutput={actualOutput} error={error} />
    </section>
  );
}

/** Asks the judge for an expected answer. The answer is a proposal: the field changes only when the user accepts it. */
function Suggestion({ draft, onAccept }: { draft: EditedCase; onAccept(expected: string): void }) {
  const api = useApi();
  const { query, actualOutput, error } = draft;
  const suggestion = useMutation({
    mutationFn: () =>
      bodyOf(
        api.POST("/api/v1/custom-agent-evaluations/datasets/suggest-expected", {
          body: { query, actualOutput, error },
        }),
      ),
  });
  const accept = (expected: string): void => {
    onAccept(expected);
    suggestion.reset();
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        {actualOutput !== null && <Button onClick={() => accept(actualOutput)}>Use the agent's answer</Button>}
        <Button
          isBusy={suggestion.isPending}
          disabled={query.trim() === ""}
          hint={query.trim() === "" ? "Write the question first." : "Asks the judge once what it would have answered."}
          onClick={() => suggestion.mutate()}
        >
          Suggest
        </Button>
      </div>
      {suggestion.error && <ProblemLine problem={suggestion.error} />}
      {suggestion.data && (
        <section aria-label="Suggested answer" className="flex flex-col gap-2 rounded-md bg-panel p-3">
          <p role="status" className="m-0 break-words whitespace-pre-wrap">
            {suggestion.data.expected}
          </p>
          {suggestion.data.rationale && <p className="m-0 text-soft">{suggestion.data.rationale}</p>}
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => accept(suggestion.data.expected)}>
              {draft.expected.trim() === "" ? "Use it" : "Replace the answer with it"}
            </Button>
            <Button look="ghost" onClick={() => suggestion.reset()}>
              Dismiss
            </Button>
          </div>
        </section>
      )}
    </>
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
