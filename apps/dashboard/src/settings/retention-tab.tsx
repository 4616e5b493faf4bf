import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { retentionQuery } from "../blocks/retention-query.ts";
import { TracesLink } from "../blocks/traces-link.tsx";
import { useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { countOf } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { traceCountQuery } from "./queries.ts";
import {
  cutoff,
  daysMax,
  daysOfDraft,
  draftOfDays,
  type RetentionDraft,
  type RetentionKind,
} from "./retention-choice.ts";

/** The retention of traces, and the number of traces that a change deletes. */
export function RetentionTab() {
  const api = useApi();
  const retention = useQuery(retentionQuery(api));
  const total = useQuery(traceCountQuery(api));
  return (
    <Section title="Retention of traces">
      <Loaded query={retention}>
        {({ retentionDays, effectiveRetentionDays }) => (
          <>
            <p className="m-0 mb-4 text-soft">
              {effectiveRetentionDays === null
                ? "Traces are kept indefinitely."
                : `Traces are kept for ${countOf(effectiveRetentionDays, "day")}, counted from when they happened.`}
              {total.data !== undefined && (
                <>
                  {" "}
                  There are{" "}
                  <TracesLink traces={{}} isInText>
                    {countOf(total.data, "trace")}
                  </TracesLink>{" "}
                  now.
                </>
              )}
            </p>
            <RetentionForm key={retentionDays} stored={retentionDays} />
          </>
        )}
      </Loaded>
    </Section>
  );
}

const choices: { kind: RetentionKind; label: string }[] = [
  { kind: "installation", label: "As the installation says (SERVICE_RETENTION_DAYS)" },
  { kind: "forever", label: "Indefinitely" },
  { kind: "days", label: "For a number of days" },
];

function RetentionForm({ stored }: { stored: number | null }) {
  const { may, why } = useAdministers();
  const [draft, setDraft] = useState<RetentionDraft>(() => draftOfDays(stored));
  const [isAsking, setAsking] = useState(false);
  const days = daysOfDraft(draft);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (days !== undefined && days !== stored && may) setAsking(true);
  }
  return (
    <form onSubmit={submit} className="flex flex-col items-start gap-3">
      <fieldset className="m-0 flex flex-col gap-2 border-0 p-0" disabled={!may}>
        <legend className="sr-only">How long traces are kept</legend>
        {choices.map(({ kind, label }) => (
          <label key={kind} className="flex min-h-8 items-center gap-2 max-md:min-h-11">
            <input
              type="radio"
              name="retention"
              className="size-4 accent-accent"
              checked={draft.kind === kind}
              onChange={() => setDraft({ ...draft, kind })}
            />
            {label}
          </label>
        ))}
        {draft.kind === "days" && (
          <div className="ml-6 w-40">
            <TextField
              label="Days"
              inputMode="numeric"
              value={draft.days}
              error={days === undefined ? `A whole number from 1 to ${daysMax}.` : null}
              onChange={(event) => setDraft({ ...draft, days: event.target.value })}
            />
          </div>
        )}
      </fieldset>
      {typeof days === "number" && days > 0 && (
        <p className="m-0 text-soft">
          <Effect days={days} />
        </p>
      )}
      <Button type="submit" look="primary" disabled={!may || days === undefined || days === stored} hint={why}>
        Change the retention
      </Button>
      {days !== undefined && <ConfirmRetention days={days} isOpen={isAsking} onClose={() => setAsking(false)} />}
    </form>
  );
}

/** The number of traces that are older than that now. */
function Effect({ days }: { days: number }) {
  const before = cutoff(days, Date.now());
  const old = useQuery(traceCountQuery(useApi(), before));
  if (old.data === undefined)
    return old.error === null ? "Counting what is older." : "What is older could not be counted.";
  if (old.data === 0) return "No trace is older than that now.";
  return (
    <>
      <strong className="text-ink">
        <TracesLink traces={{ to: before }} isInText>
          {countOf(old.data, "trace")}
        </TracesLink>
      </strong>{" "}
      from before <Time iso={before} /> will be deleted.
    </>
  );
}

function ConfirmRetention({ days, isOpen, onClose }: { days: number | null; isOpen: boolean; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  const change = useMutation({
    mutationFn: () => bodyOf(api.PUT("/api/v1/agent-monitoring/settings/retention", { body: { retentionDays: days } })),
    onSuccess: ({ effectiveRetentionDays: kept }) => {
      say(kept === null ? "Traces are kept indefinitely." : `Traces are kept for ${countOf(kept, "day")}.`);
      void queries.invalidateQueries({ queryKey: [api.projectId] });
    },
  });
  const isDeleting = days !== null && days > 0;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={isDeleting ? `Keep traces for ${countOf(days, "day")}?` : "Change the retention?"}
      verb={isDeleting ? "Delete older traces" : "Change the retention"}
      look={isDeleting ? "danger" : "primary"}
      onConfirm={() => change.mutateAsync()}
    >
      {isDeleting ? (
        <>
          <p className="m-0">
            <Effect days={days} /> Their spans, texts and live ratings go with them, and from then on every trace that
            gets older. There is no way back.
          </p>
          <p className="mb-0 text-soft">Datasets, runs and their results stay. They go within the hour.</p>
        </>
      ) : days === 0 ? (
        "Nothing is deleted because of its age from now on."
      ) : (
        "The setting of the installation is in force then. If it is shorter than what is kept now, older traces are deleted."
      )}
    </ConfirmDialog>
  );
}
