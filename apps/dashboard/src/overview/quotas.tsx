import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { usageQuery } from "../shell/usage.ts";
import { formatCount } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";

/** Today's usage of each daily quota. */
export function Quotas() {
  const usage = useQuery({ ...usageQuery(useApi()), refetchInterval: 15_000 });
  return (
    <Section
      title="Today"
      aside={
        usage.data && (
          <>
            starts again at <Time iso={usage.data.resetsAt} />
          </>
        )
      }
    >
      <Loaded query={usage}>
        {({ traces, judgeCalls, onlineJudgeCalls }) => (
          <dl className="m-0 grid gap-4 sm:grid-cols-3">
            <Quota name="Traces" {...traces} />
            <Quota name="Judge calls" {...judgeCalls} />
            <Quota name="Live judge calls" {...onlineJudgeCalls} />
          </dl>
        )}
      </Loaded>
    </Section>
  );
}

function Quota({ name, used, limit }: { name: string; used: number; limit: number | null }) {
  const share = limit === null ? null : Math.min(1, used / Math.max(1, limit));
  return (
    <div>
      <dt className="text-xs text-faint">{name}</dt>
      <dd className="m-0 tabular-nums">
        {formatCount(used)} {limit === null ? <span className="text-faint">no limit</span> : `of ${formatCount(limit)}`}
        {share !== null && (
          <span aria-hidden className="mt-1 block h-1.5 rounded-full bg-panel">
            <span
              className={share >= 0.9 ? "block h-full rounded-full bg-score-2" : "block h-full rounded-full bg-accent"}
              style={{ width: `${share * 100}%` }}
            />
          </span>
        )}
        {share === 1 && <span className="text-xs text-bad">Reached: more is refused or skipped until then.</span>}
      </dd>
    </div>
  );
}
