import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { countOf, formatCount } from "../ui/format.ts";
import { Time } from "../ui/page.tsx";
import { ProblemLine } from "../ui/states.tsx";
import { type AlertRuleDraft, bodyOfRule, formatValue } from "./alert-rule-draft.ts";

const spans = { 1: "the last 24 hours", 7: "the last 7 days", 30: "the last 30 days" } as const;

/** Says what a rule that is not saved would have told over the last days. Nothing is stored, no user is told. */
export function RuleTrial({ draft, missing }: { draft: AlertRuleDraft; missing: string | undefined }) {
  const api = useApi();
  const [days, setDays] = useState(7);
  const trial = useMutation({
    mutationFn: async (tried: AlertRuleDraft) => {
      const { name, ...rule } = bodyOfRule(tried);
      const body = { ...rule, ...(name !== "" && { name }), days };
      return { tried, ...(await bodyOf(api.POST("/api/v1/agent-monitoring/alert-rules/dry-run", { body }))) };
    },
  });
  const { data } = trial;
  return (
    <section aria-label="Trial" className="flex flex-col gap-3 rounded-md bg-panel p-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">Try it on</span>
        <div className="w-40">
          <SelectField
            label="Time it is tried on"
            isLabelHidden
            value={days}
            onChange={({ target }) => setDays(Number(target.value))}
          >
            {Object.entries(spans).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </SelectField>
        </div>
        <Button
          isBusy={trial.isPending}
          disabled={missing !== undefined}
          {...(missing !== undefined && { hint: missing })}
          onClick={() => trial.mutate(draft)}
        >
          Try it
        </Button>
      </div>
      {trial.error !== null && <ProblemLine problem={trial.error} />}
      {data !== undefined && (
        <div aria-live="polite" className="flex flex-col gap-2">
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
        </div>
      )}
    </section>
  );
}

const timesOf = (count: number): string => (count === 1 ? "once" : `${formatCount(count)} times`);
