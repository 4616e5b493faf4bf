import { useQuery } from "@tanstack/react-query";
import { useSession } from "../shell/session.tsx";
import { usageQuery } from "../shell/usage.ts";
import { formatCount, formatShare } from "../ui/format.ts";
import { Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { MeterRow } from "./meter-row.tsx";

/** Today's usage, the daily quotas, and the effect of exceeding them. */
export function UsageTab() {
  const { api, config } = useSession();
  const usage = useQuery({ ...usageQuery(api), refetchInterval: 15_000 });
  const isTenant = config.mode === "enabled" && config.multiTenant;
  return (
    <Section
      title="Today"
      aside={
        usage.data && (
          <>
            {usage.data.day} UTC, starts again at <Time iso={usage.data.resetsAt} />
          </>
        )
      }
    >
      <Loaded query={usage}>
        {({ traces, judgeCalls, onlineJudgeCalls }) => (
          <dl className="m-0 flex flex-col">
            <Quota
              name="Traces"
              of="this project"
              beyond="More are refused with 429 until then. Senders should not retry earlier."
              variable="SERVICE_QUOTA_TRACES_PER_DAY"
              {...traces}
            />
            <Quota
              name="Judge calls"
              of={isTenant ? "the organization" : "the installation"}
              beyond="Results beyond it are stored as skipped and can be scored again later."
              variable="SERVICE_QUOTA_JUDGE_CALLS_PER_DAY"
              {...judgeCalls}
            />
            <Quota
              name="Live judge calls"
              of="this project"
              beyond="Traces beyond it are not judged live."
              variable="SERVICE_QUOTA_ONLINE_JUDGE_CALLS_PER_DAY"
              {...onlineJudgeCalls}
            />
          </dl>
        )}
      </Loaded>
    </Section>
  );
}

interface QuotaProps {
  name: string;
  /** The owner of the counted calls. */
  of: string;
  /** The effect of reaching the quota. */
  beyond: string;
  /** The setting of the installation. */
  variable: string;
  used: number;
  limit: number | null;
}

function Quota({ name, of, beyond, variable, used, limit }: QuotaProps) {
  const share = limit === null ? null : Math.min(1, used / Math.max(1, limit));
  return (
    <MeterRow
      name={name}
      note={`of ${of}`}
      value={formatCount(used)}
      most={limit === null ? "no limit" : `of ${formatCount(limit)} (${formatShare(share, 0)})`}
      share={share}
    >
      {share === 1 && "Reached. "}
      {limit === null ? (
        <>
          <code>{variable}</code> sets a limit.
        </>
      ) : (
        beyond
      )}
    </MeterRow>
  );
}
