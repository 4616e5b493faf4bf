import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { judgeScorersQuery, scorerGroupsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { ProblemLine } from "../ui/states.tsx";
import type { Run } from "./case-rows.ts";

/** What a rescoring asks for; without a member the run keeps its graders. */
export interface Graders {
  evaluationSettingsId?: string;
  scorerGroupId?: string;
}

/** Chooses who judges a run that its client scored. Only the first ratings have the choice: later ones must be of the same graders. */
export function JudgeRunDialog({
  run,
  isBusy,
  onJudge,
  onClose,
}: {
  run: Run;
  isBusy: boolean;
  onJudge(graders: Graders): void;
  onClose(): void;
}) {
  const api = useApi();
  const judges = useQuery(judgeScorersQuery(api));
  const groups = useQuery(scorerGroupsQuery(api));
  const [chosen, choose] = useState("");
  const isStated = (run.evaluationSettingsId ?? run.scorerGroupId) !== null;
  const problem = judges.error ?? groups.error;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Judge ${countOf(run.liveStatistics.skippedCount, "result")}`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" isBusy={isBusy} onClick={() => onJudge(gradersOf(chosen))}>
            Judge
          </Button>
        </>
      }
    >
      <SelectField
        label="Graded by"
        hint="Once a result is rated, the run keeps its graders."
        value={chosen}
        disabled={isBusy}
        onChange={(event) => choose(event.target.value)}
      >
        <option value="">{isStated ? "The graders of the run" : "The criteria of the dataset"}</option>
        <GraderGroup label="Judges" kind="evaluationSettingsId" graders={judges.data ?? []} />
        <GraderGroup label="Groups" kind="scorerGroupId" graders={groups.data ?? []} />
      </SelectField>
      {problem !== null && <ProblemLine problem={problem} />}
    </Dialog>
  );
}

function GraderGroup({
  label,
  kind,
  graders,
}: {
  label: string;
  kind: keyof Graders;
  graders: readonly { _id: string; name: string }[];
}) {
  if (graders.length === 0) return null;
  return (
    <optgroup label={label}>
      {graders.map(({ _id, name }) => (
        <option key={_id} value={`${kind} ${_id}`}>
          {name}
        </option>
      ))}
    </optgroup>
  );
}

function gradersOf(chosen: string): Graders {
  const [kind, id] = chosen.split(" ");
  return id === undefined ? {} : { [kind as keyof Graders]: id };
}
