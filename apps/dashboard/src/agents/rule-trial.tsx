import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { Time } from "../ui/page.tsx";
import { type AlertRuleDraft, bodyOfRule, formatValue } from "./alert-rule-draft.ts";
import { TrialPanel } from "./trial-panel.tsx";

const spans = { "1": "the last 24 hours", "7": "the last 7 days", "30": "the last 30 days" } as const;

/** Tries an alert rule on the last days before it is saved: when would it have alerted? Nothing is stored and no message is sent. */
export function RuleTrial({ draft, missing }: { draft: AlertRuleDraft; missing: string | undefined }) {
  const api = useApi();
  const [span, setSpan] = useState<keyof typeof spans>("7");
  const trial = useMutation({
    mutationFn: async (tried: AlertRuleDraft) => {
      const { name, ...rule } = bodyOfRule(tried);
      const body = { ...rule, ...(name !== "" && { name }), days: Number(span) };
      return { tried, ...(await bodyOf(api.POST("/api/v1/agent-monitoring/alert-rules/dry-run", { body }))) };
    },
  });
  const { data } = trial;
  return (
    <TrialPanel<keyof typeof spans>
      spans={spans}
      span={span}
      onSpan={setSpan}
      missing={missing}
      isBusy={trial.isPending}
      problem={trial.error}
      onTry={() => trial.mutate(draft)}
    >
      {data === undefined ? null : (
        <>
          <p className="m-0">
            <b className="font-semibold">
              {data.alertCount === 0
                ? "It would not have alerted"
                : `It would have alerted ${timesOf(data.alertCount)}`}
            </b>{" "}
            since <Time iso={data.since} />.
            {data.tried !== draft && <span className="text-warn"> Changed since: try it again.</span>}
          </p>
          <p className="m-0 text-soft">
            {countOf(data.windows, "window")} measured, {formatCount(data.crossed)} beyond the threshold
            {data.undecided > 0 && `, ${formatCount(data.undecided)} with too few to decide`}. Now:{" "}
            {data.newest.value === null ? "nothing to measure" : formatValue(data.tried.metric, data.newest.value)}.
          </p>
          {data.alerts.length > 0 && (
            <ul className="m-0 list-none p-0">
              {data.alerts.map(({ at, value, samples }) => (
                <li key={at} className="flex min-h-8 items-center gap-4 border-t border-line">
                  <span className="flex-1">
                    <Time iso={at} />
                  </span>
                  <span className="tabular-nums">{formatValue(data.tried.metric, value)}</span>
                  <span className="w-24 text-right text-soft tabular-nums">of {formatCount(samples)}</span>
                </li>
              ))}
            </ul>
          )}
          {data.alertCount > data.alerts.length && <p className="m-0 text-faint">The newest {data.alerts.length}.</p>}
        </>
      )}
    </TrialPanel>
  );
}

const timesOf = (count: number): string => (count === 1 ? "once" : `${formatCount(count)} times`);
