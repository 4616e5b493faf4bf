import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { bodyOf } from "../api/client.ts";
import { useKeptDraft } from "../blocks/kept-draft.ts";
import { useApi } from "../shell/session.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Section } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { bodyOfDraft, type Draft, makesVersion, mistakesOf } from "./draft.ts";
import { LiveFields } from "./live-fields.tsx";
import type { Judge } from "./queries.ts";
import { diffRubrics } from "./rubric-changes.ts";
import { RubricDiff } from "./rubric-diff.tsx";
import { RubricFields } from "./rubric-fields.tsx";

export interface JudgeFormProps {
  /** Null for a new one. */
  judge: Judge | null;
  initial: Draft;
  /** The name under which this browser stores the draft. */
  draftName: string;
}

/** The form of a judge, with the changes of its next version beside it. Input is kept until it is published. */
export function JudgeForm({ judge, initial, draftName }: JudgeFormProps) {
  const api = useApi();
  const { projectId } = api;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toasts = useToasts();
  const draft = useKeptDraft(draftName, initial);
  const mistakes = mistakesOf(draft.value);
  const isVersion = judge !== null && makesVersion(initial, draft.value);
  const next = (judge?.version ?? 0) + 1;
  const save = useMutation({
    mutationFn: () => send(api, judge, draft.value),
    onSuccess: async ({ judgeScorer }) => {
      draft.forget();
      toasts.say(
        judge === null ? `${judgeScorer.name} is created.` : isVersion ? `Version ${next} is in force.` : "Saved.",
      );
      await Promise.all(
        ["judge-scorers", "settings-versions"].map((part) =>
          queries.invalidateQueries({ queryKey: [projectId, part] }),
        ),
      );
      await navigate({ to: "/p/$projectId/judges/$judgeId", params: { projectId, judgeId: judgeScorer._id } });
    },
  });
  const isReady = Object.keys(mistakes).length === 0 && (judge === null || draft.isChanged);
  const submit = (): void => {
    if (isReady && !save.isPending) save.mutate();
  };
  useShortcuts("Judge", [{ keys: "Ctrl+Enter", label: "Save", run: submit }]);
  const verb = judge === null ? "Create the judge" : isVersion ? `Publish version ${next}` : "Save";
  return (
    <form
      className="grid min-w-0 items-start gap-x-10 gap-y-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex min-w-0 flex-col gap-8">
        {draft.isRestored && draft.isChanged && (
          <p className="m-0 flex flex-wrap items-center gap-3 rounded-sm bg-warn-ground px-3 py-2">
            <span className="flex-1">This is your draft from an earlier visit. It is kept in this browser only.</span>
            <Button onClick={draft.discard}>Discard it</Button>
          </p>
        )}
        <RubricFields draft={draft.value} set={draft.set} mistakes={mistakes} />
        <LiveFields draft={draft.value} set={draft.set} mistakes={mistakes} />
      </div>
      <div className="flex min-w-0 flex-col gap-4 lg:sticky lg:top-0">
        <Section title={judge === null ? "Rubric" : `Changes from version ${judge.version}`}>
          {judge === null ? (
            <p className="m-0 text-soft">
              Say what a good answer is for you. Name what must be there and what must not; give examples of a 10, a 5
              and a 0. Every later change becomes a version of its own, and agreement is measured for each.
            </p>
          ) : diffRubrics(rubricOf(initial), rubricOf(draft.value)).length === 0 ? (
            <p className="m-0 text-soft">None yet. How it rates live traffic makes no new version.</p>
          ) : (
            <RubricDiff before={rubricOf(initial)} after={rubricOf(draft.value)} />
          )}
        </Section>
        {isVersion && (
          <p className="m-0 text-soft">
            A changed rubric is another judge: the ratings and the agreement of version {next} begin anew.
          </p>
        )}
        {save.isError && <ProblemLine problem={save.error} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="primary" disabled={!isReady} isBusy={save.isPending}>
            {verb}
          </Button>
          <ButtonLink
            {...(judge === null
              ? ({ to: "/p/$projectId/judges", params: { projectId } } as const)
              : ({ to: "/p/$projectId/judges/$judgeId", params: { projectId, judgeId: judge._id } } as const))}
          >
            Cancel
          </ButtonLink>
        </div>
        {draft.isChanged && <p className="m-0 text-xs text-faint">Kept in this browser as you type.</p>}
      </div>
    </form>
  );
}

function send(api: ReturnType<typeof useApi>, judge: Judge | null, draft: Draft) {
  const body = bodyOfDraft(draft);
  if (judge === null) return bodyOf(api.POST("/api/v1/agent-monitoring/judge-scorers", { body }));
  const params = { path: { judgeScorerId: judge._id } };
  return bodyOf(api.PUT("/api/v1/agent-monitoring/judge-scorers/{judgeScorerId}", { params, body }));
}

function rubricOf({ name, description, judgeModel, ...draft }: Draft): Record<string, unknown> {
  const { evaluationCriteria, acceptanceCriteria, rejectionCriteria, judgePrompt, toolContext, requiresExpected } =
    draft;
  return {
    name,
    description,
    evaluationCriteria,
    acceptanceCriteria,
    rejectionCriteria,
    judgePrompt,
    judgeModel,
    toolContext,
    requiresExpected,
  };
}
