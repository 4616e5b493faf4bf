import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useApi } from "../shell/session.tsx";
import { formatCount } from "../ui/format.ts";
import { Badge, Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { type IngestHealth, type IngestRow, ingestRows } from "./ingest-rows.ts";
import { overviewQueries, type Window } from "./queries.ts";

/** The received telemetry that was not stored, with advice. */
export function Ingest({ window }: { window: Window }) {
  const api = useApi();
  const health = useQuery(overviewQueries(api, window).ingest);
  return (
    <Section
      title="Ingest"
      aside={health.data && health.data.refused + health.data.rejected > 0 && describeAccepted(health.data)}
      actions={
        <Link
          to="/p/$projectId/settings/$tab"
          params={{ projectId: api.projectId, tab: "usage" }}
          className="text-accent"
        >
          Usage
        </Link>
      }
    >
      <Loaded query={health}>
        {(body) => {
          const rows = ingestRows(body);
          return rows.length === 0 ? <p className="m-0 text-soft">{describeQuiet(body)}</p> : <Refusals rows={rows} />;
        }}
      </Loaded>
    </Section>
  );
}

/** The same for a project without traces. It is shown only if something was refused, which may be the cause. */
export function FirstRefusals() {
  const health = useQuery(overviewQueries(useApi(), "24h").ingest);
  const rows = health.data === undefined ? [] : ingestRows(health.data);
  if (rows.length === 0) return null;
  return (
    <Section title="Refused in the last 24 hours" className="mx-auto -mt-8 w-full max-w-3xl px-4">
      <Refusals rows={rows} />
    </Section>
  );
}

/** One line each in a wide window; in a narrow one the advice is below. */
function Refusals({ rows }: { rows: readonly IngestRow[] }) {
  return (
    <ul className="m-0 list-none p-0">
      {rows.map(({ key, status, title, advice, count, lastAt }) => (
        <li
          key={key}
          className="grid min-h-9 grid-cols-[3.5rem_1fr_auto_5rem] items-center gap-x-3 border-b border-line py-1.5 md:grid-cols-[3.5rem_14rem_1fr_auto_5rem]"
        >
          <span>
            <Badge look={status === null ? "warn" : "bad"}>{status ?? "partly"}</Badge>
          </span>
          <span className="min-w-0">{title}</span>
          <span className="min-w-0 wrap-anywhere text-soft max-md:order-last max-md:col-span-3 max-md:col-start-2">
            {advice}
          </span>
          <span className="text-right text-soft tabular-nums">{formatCount(count)}x</span>
          <span className="text-right text-faint">
            <Time iso={lastAt} isAge />
          </span>
        </li>
      ))}
    </ul>
  );
}

function describeAccepted({ accepted, refused }: IngestHealth): string {
  return `${formatCount(refused)} refused, ${formatCount(accepted)} accepted`;
}

function describeQuiet({ accepted }: IngestHealth): string {
  if (accepted === 0) return "No request with traces came in this window.";
  return accepted === 1 ? "One request, accepted." : `${formatCount(accepted)} requests, all accepted.`;
}
