import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { bodyOf, type ProjectApi } from "../api/client.ts";
import { someAtOnce } from "../api/some-at-once.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Score } from "../ui/score.tsx";
import { Loaded, ProblemLine, Skeleton } from "../ui/states.tsx";
import { readDatasetPage } from "./dataset-summaries.ts";
import { verdictsOfResult } from "./verdict-sources.ts";
import { Why } from "./why.tsx";

type Outcome =
  | { traceId: string; runId: string; rating: number | null; justification: string | null }
  | { traceId: string; problem: unknown };

/**
 * Grades recorded traces with a judge or with the criteria of a dataset. The agent is not called again; each trace
 * becomes a run of one result, which is linked once it exists. Closing cancels the traces that have not started.
 */
export function EvaluateTrace({ traceIds, onClose }: { traceIds: readonly string[]; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const graders = useQuery({
    queryKey: [api.projectId, "graders-of-traces"],
    queryFn: ({ signal }) => readGraders(api, signal),
  });
  const [chosen, choose] = useState<string | null>(null);
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const stop = useRef<AbortController>(null);

  const evaluation = useMutation({
    mutationFn: async (graderId: string) => {
      const own = new AbortController();
      stop.current = own;
      setOutcomes([]);
      await someAtOnce(traceIds, 2, async (traceId) => {
        if (own.signal.aborted) return;
        const outcome = await evaluate(api, traceId, graderId);
        setOutcomes((before) => [...before, outcome]);
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: [api.projectId, "trace"] }),
  });
  const close = (): void => {
    stop.current?.abort();
    onClose();
  };
  const graderId = chosen ?? graders.data?.configs[0]?.id ?? graders.data?.datasets[0]?.id ?? null;
  const isDone = outcomes.length === traceIds.length;
  return (
    <Dialog
      isOpen
      onClose={close}
      title={`Evaluate ${countOf(traceIds.length, "trace")}`}
      actions={
        <>
          <Button onClick={close}>{isDone ? "Close" : "Cancel"}</Button>
          <Button
            look="primary"
            disabled={graderId === null}
            isBusy={evaluation.isPending}
            onClick={() => graderId !== null && evaluation.mutate(graderId)}
          >
            {evaluation.isPending ? `${outcomes.length} of ${traceIds.length}` : isDone ? "Evaluate again" : "Evaluate"}
          </Button>
        </>
      }
    >
      <Loaded query={graders} skeleton={<Skeleton rows={2} />}>
        {({ configs, datasets }) => (
          <div className="flex flex-col gap-4">
            <SelectField
              label="Graded by"
              hint={`The recorded answer is judged; the agent is not called. ${countOf(traceIds.length, "judge call")} or more.`}
              value={graderId ?? ""}
              disabled={evaluation.isPending}
              onChange={(event) => choose(event.target.value)}
            >
              <GraderGroup label="Judges" graders={configs} />
              <GraderGroup label="Criteria of a dataset" graders={datasets} />
            </SelectField>
            {graderId === null && <p className="m-0 text-soft">There is no judge and no dataset yet.</p>}
            {outcomes.length > 0 && (
              <ul className="m-0 flex list-none flex-col gap-2 p-0" aria-live="polite">
                {outcomes.map((outcome) => (
                  <OutcomeRow key={outcome.traceId} outcome={outcome} projectId={api.projectId} />
                ))}
              </ul>
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

interface Grader {
  id: string;
  name: string;
}

function GraderGroup({ label, graders }: { label: string; graders: readonly Grader[] }) {
  if (graders.length === 0) return null;
  return (
    <optgroup label={label}>
      {graders.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

function OutcomeRow({ outcome, projectId }: { outcome: Outcome; projectId: string }) {
  const [isExplained, setExplained] = useState(false);
  if ("problem" in outcome) {
    return (
      <li>
        <ProblemLine problem={outcome.problem} />
      </li>
    );
  }
  const { runId, rating, justification } = outcome;
  return (
    <li className="rounded-sm border border-line p-3">
      <div className="flex items-center gap-3">
        <Score rating={rating} onWhy={() => setExplained(!isExplained)} />
        <Link to="/p/$projectId/runs/$runId" params={{ projectId, runId }} className="ml-auto text-accent">
          Open the run
        </Link>
      </div>
      {isExplained && <WhyResult runId={runId} />}
      {!isExplained && justification !== null && (
        <p className="m-0 mt-1 break-words whitespace-pre-wrap text-soft">{justification}</p>
      )}
    </li>
  );
}

/** The explanation of the rating of a run's only result. */
function WhyResult({ runId }: { runId: string }) {
  const api = useApi();
  const run = useQuery({
    queryKey: [api.projectId, "run-of-trace", runId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET("/api/v1/custom-agent-evaluations/runs/{runId}", { params: { path: { runId } }, signal })),
  });
  return (
    <Loaded query={run} skeleton={<Skeleton rows={3} />}>
      {(data) =>
        data.results
          .slice(0, 1)
          .flatMap((result) => verdictsOfResult(result, data))
          .map((verdict) => <Why key={verdict.key} verdict={verdict} />)
      }
    </Loaded>
  );
}

async function evaluate(api: ProjectApi, traceId: string, datasetId: string): Promise<Outcome> {
  try {
    const { run_id, rating, justification } = await bodyOf(
      api.POST("/api/v1/ingest/traces/{traceId}/evaluate", { params: { path: { traceId } }, body: { datasetId } }),
    );
    return { traceId, runId: run_id, rating, justification };
  } catch (problem) {
    return { traceId, problem };
  }
}

async function readGraders(api: ProjectApi, signal: AbortSignal): Promise<{ configs: Grader[]; datasets: Grader[] }> {
  const [settings, datasets] = await Promise.all([
    bodyOf(api.GET("/api/v1/custom-agent-evaluations/evaluation-settings", { signal })),
    readDatasetPage(api, { limit: "200" }, signal),
  ]);
  const named = ({ _id: id, name }: { _id: string; name: string }): Grader => ({ id, name });
  return { configs: settings.evaluationSettings.map(named), datasets: datasets.datasets.map(named) };
}
