import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { readFailureKey } from "../blocks/failure-names.ts";
import { alertRulesQuery, patternsQuery } from "../blocks/watching-queries.ts";
import { judgeScorersQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { formatRating } from "../ui/format.ts";
import { NotRead } from "../ui/states.tsx";
import type { Signal } from "./queries.ts";
import { tracesOfRule } from "./rules.ts";

type Raised = Pick<Signal, "patternKey" | "lastSeenAt">;

/** What raised a signal, in a sentence with a link. */
export function SignalOrigin({ signal }: { signal: Raised }) {
  const origin = readFailureKey(signal.patternKey);
  if (origin.kind === "judge") return <FromScorer id={origin.id} />;
  if (origin.kind === "pattern") return <FromPattern patternKey={origin.id} />;
  if (origin.kind === "rule") return <FromRule id={origin.id} seenAt={signal.lastSeenAt} />;
  if (origin.kind === "vote") return <Line>Raised by people: a vote down on a trace.</Line>;
  if (origin.kind === "tool") return <Line>Raised by the failure of the tool {origin.id}.</Line>;
  if (origin.kind === "group") return <Line>Raised by a group of judges that rated below its threshold.</Line>;
  if (origin.kind === "evaluator") return <Line>Raised by an evaluator of your own.</Line>;
  return <Line>Raised by {signal.patternKey}.</Line>;
}

/** The judge of a signal as far as it is known: its name and its alert threshold. */
export function useJudge(signal: Raised): { name: string; threshold: number | null } | undefined {
  const { kind, id } = readFailureKey(signal.patternKey);
  const scorers = useQuery({ ...judgeScorersQuery(useApi()), enabled: kind === "judge" });
  const found = scorers.data?.find(({ online }) => online?.profileId === id);
  return found && { name: found.online?.name ?? found.name, threshold: found.online?.alertThreshold ?? null };
}

function FromScorer({ id }: { id: string }) {
  const api = useApi();
  const params = { projectId: api.projectId };
  const judges = useQuery(judgeScorersQuery(api));
  if (judges.data === undefined) return <NotRead query={judges} />;
  const judge = judges.data.find(({ online }) => online?.profileId === id);
  if (judge === undefined) return <Line>Raised by a judge that is not there any more.</Line>;
  const threshold = judge.online?.alertThreshold;
  return (
    <Line>
      Raised by the judge{" "}
      <Link
        to="/p/$projectId/judges/$judgeId"
        params={{ ...params, judgeId: judge._id }}
        className="text-accent underline"
      >
        {judge.online?.name ?? judge.name}
      </Link>
      {threshold != null && <>, which alerts below {formatRating(threshold)} of 10</>}.{" "}
      <Link
        to="/p/$projectId/judges/$judgeId/agreement"
        params={{ ...params, judgeId: judge._id }}
        className="text-accent underline"
      >
        Do people agree with it?
      </Link>
    </Line>
  );
}

function FromPattern({ patternKey }: { patternKey: string }) {
  const api = useApi();
  const found = useQuery(patternsQuery(api)).data?.find(({ key }) => key === patternKey);
  return (
    <Line>
      Raised by the pattern{" "}
      <Link
        to="/p/$projectId/agents"
        params={{ projectId: api.projectId }}
        search={{ tab: "patterns", ...(found && { open: found._id }) }}
        className="text-accent underline"
      >
        {found?.name ?? patternKey}
      </Link>
      {found === undefined ? "" : found.description ? `: ${found.description}` : "."}
    </Line>
  );
}

function FromRule({ id, seenAt }: { id: string; seenAt: string }) {
  const api = useApi();
  const found = useQuery(alertRulesQuery(api)).data?.find(({ _id }) => _id === id);
  const traces = found && tracesOfRule(found, seenAt);
  return (
    <Line>
      Raised by the alert rule{" "}
      <Link
        to="/p/$projectId/agents"
        params={{ projectId: api.projectId }}
        search={{ tab: "alerts", open: id }}
        className="text-accent underline"
      >
        {found?.name ?? id}
      </Link>
      .{" "}
      {traces && (
        <Link
          to="/p/$projectId/traces"
          params={{ projectId: api.projectId }}
          search={traces}
          className="text-accent underline"
        >
          The traces it measured
        </Link>
      )}
    </Line>
  );
}

function Line({ children }: { children: ReactNode }) {
  return <p className="m-0 text-soft">{children}</p>;
}
