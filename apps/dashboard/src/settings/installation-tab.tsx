import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { formatCount, formatDiskSize, formatDuration, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { MeterRow } from "./meter-row.tsx";
import { type Installation, installationQuery, type StoredAmounts } from "./queries.ts";

/** For the operator: what the database holds, beside what one PostgreSQL should hold. */
export function InstallationTab() {
  // Only in memory: the next visit asks for it again.
  const [token, setToken] = useState<string | null>(null);
  const installation = useQuery(installationQuery(token));
  const refusal = refusalOf(installation.data);
  function ask(given: string): void {
    // The same token may have been set in the meantime.
    if (given === token) void installation.refetch();
    else setToken(given);
  }
  if (token === null || refusal !== null) return <TokenForm refusal={refusal} onToken={ask} />;
  return (
    <Loaded query={installation}>
      {(answer) =>
        "stored" in answer && (
          <>
            <Thresholds stored={answer.stored} />
            <Amounts stored={answer.stored} />
          </>
        )
      }
    </Loaded>
  );
}

function refusalOf(answer: Installation | undefined): string | null {
  if (answer === undefined || "stored" in answer) return null;
  if (answer.refused === "wrong token") return "This is not the operator's token.";
  return "This installation has no operator's token. Set SERVICE_ADMIN_TOKEN and restart Touchstone.";
}

function TokenForm({ refusal, onToken }: { refusal: string | null; onToken(token: string): void }) {
  const [draft, setDraft] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (draft.trim() !== "") onToken(draft.trim());
  }
  return (
    <Section title="For the operator">
      <p className="m-0 mb-4 max-w-2xl text-soft">
        This page shows how much the database holds, for all projects together. It needs the operator's token, which is
        the value of <code>SERVICE_ADMIN_TOKEN</code>, and forgets it when you leave.
      </p>
      <form onSubmit={submit} className="flex max-w-md flex-col items-start gap-3">
        <div className="w-full">
          <TextField
            label="Operator's token"
            type="password"
            autoComplete="off"
            spellCheck={false}
            // A refused token is typed again.
            autoFocus={refusal !== null}
            value={draft}
            error={refusal}
            onChange={(event) => setDraft(event.target.value)}
          />
        </div>
        <Button type="submit" look="primary" disabled={draft.trim() === ""}>
          Show
        </Button>
      </form>
    </Section>
  );
}

function Amounts({ stored }: { stored: StoredAmounts }) {
  return (
    <Section title="Stored">
      <dl className="m-0 grid gap-x-6 sm:grid-cols-[14rem_1fr] [&_dd]:m-0 [&_dd]:mb-3 [&_dt]:text-faint">
        <dt>Database</dt>
        <dd className="tabular-nums">{formatDiskSize(stored.databaseBytes)}</dd>
        <dt>Traces in it</dt>
        <dd className="tabular-nums">{formatDiskSize(stored.ingestBytes)}</dd>
        <dt>Spans</dt>
        <dd className="tabular-nums">{formatCount(Math.round(stored.spans))}</dd>
      </dl>
      <p className="m-0 text-xs text-faint">
        Of all projects. Sizes are exact; numbers of spans are PostgreSQL's estimates and may be a minute old.
      </p>
    </Section>
  );
}

type Threshold = StoredAmounts["thresholds"][number];

const meanings: Record<
  Threshold["name"],
  { title: string; note: string; show(value: number): string; beyond: string }
> = {
  ingestBytes: {
    title: "Size of the traces",
    note: "with indexes and search texts",
    show: formatDiskSize,
    beyond: "a base backup and its restore take hours",
  },
  spansPerSecond: {
    title: "Spans per second",
    note: "average of this or last week, whichever is higher",
    show: (value) => formatCount(Math.round(value * 100) / 100),
    beyond: "a standby falls behind the write-ahead log at peaks, which are several times higher",
  },
  spansOfFiveWeeks: {
    title: "Spans of five weeks",
    note: "the longest window of the dashboard",
    show: (value) => formatCount(Math.round(value)),
    beyond: "a month of one large project takes seconds to show",
  },
  retentionSweepSeconds: {
    title: "Hourly removal of old traces",
    note: "the last or the present one, whichever took longer",
    show: (value) => formatDuration(value * 1_000),
    beyond: "old traces are removed more slowly than new ones are stored",
  },
};

function Thresholds({ stored }: { stored: StoredAmounts }) {
  const above = stored.thresholds.filter(({ exceeded }) => exceeded).length;
  return (
    <Section title="What one PostgreSQL holds">
      <p className={above > 0 ? "m-0 mb-3 text-bad" : "m-0 mb-3 text-soft"} role="status">
        {sentenceOf(stored, above)}
      </p>
      <dl className="m-0 flex flex-col">
        {stored.thresholds.map(({ name, value, threshold, exceeded }) => {
          const { title, note, show, beyond } = meanings[name];
          const share = value / threshold;
          return (
            <MeterRow
              key={name}
              name={title}
              note={note}
              value={show(value)}
              most={`of ${show(threshold)} (${showShare(share)})`}
              // A full bar says that it is exceeded.
              share={exceeded ? 1 : Math.min(0.99, share)}
            >
              {exceeded ? "Exceeded" : "Above it"}: {beyond}.
            </MeterRow>
          );
        })}
      </dl>
    </Section>
  );
}

/** Small shares have a digit more: this is a percentage that grows for years. */
function showShare(share: number): string {
  if (share > 0 && share < 0.001) return "<0.1%";
  return formatShare(share, share > 0 && share < 0.1 ? 1 : 0);
}

function sentenceOf({ spans }: StoredAmounts, above: number): ReactNode {
  if (spans === 0) return "Nothing is stored yet.";
  if (above === 0) return "There is room.";
  return (
    <>
      More is stored than one PostgreSQL should hold. If it stays so for a week, <code>docs/operating/sizing.md</code>{" "}
      says what to do.
    </>
  );
}
