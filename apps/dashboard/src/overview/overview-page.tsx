import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FirstTrace } from "../blocks/first-trace.tsx";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { Page } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { AgentFigures } from "./agent-figures.tsx";
import { FirstRefusals, Ingest } from "./ingest.tsx";
import { KeyFigures } from "./key-figures.tsx";
import { LatestRuns } from "./latest-runs.tsx";
import { ModelFigures } from "./model-figures.tsx";
import { OpenSignals } from "./open-signals.tsx";
import { OverviewCharts } from "./overview-charts.tsx";
import { hasTracesQuery, type Window, windows } from "./queries.ts";
import { Quotas } from "./quotas.tsx";

const route = getRouteApi("/p/$projectId/");

/** The state of the project's agents: figures, charts, failures, and open signals. */
export function OverviewPage() {
  const api = useApi();
  const { window = "24h" } = route.useSearch();
  const hasTraces = useQuery(hasTracesQuery(api));
  return (
    <Page title="Overview" actions={hasTraces.data === true ? <WindowChoice chosen={window} /> : undefined}>
      <Loaded query={hasTraces}>
        {(has) =>
          has ? (
            <>
              <KeyFigures window={window} />
              <OverviewCharts window={window} />
              <AgentFigures window={window} />
              <div className="grid min-w-0 gap-x-8 gap-y-6 lg:grid-cols-[3fr_2fr] lg:[&>:only-child]:col-span-2">
                <LatestRuns />
                <OpenSignals />
              </div>
              <Ingest window={window} />
              <ModelFigures window={window} />
              <Quotas />
            </>
          ) : (
            <>
              <FirstTrace />
              <FirstRefusals />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const names: Record<Window, string> = { "24h": "24 hours", "7d": "7 days", "30d": "30 days" };

function WindowChoice({ chosen }: { chosen: Window }) {
  const navigate = useNavigate({ from: "/p/$projectId/" });
  return (
    <fieldset className="m-0 flex rounded-sm border border-line p-0">
      <legend className="sr-only">Time shown</legend>
      {windows.map((window) => (
        <button
          key={window}
          type="button"
          aria-pressed={window === chosen}
          onClick={() => void navigate({ search: (before) => ({ ...before, window }) })}
          className={classNames(
            "h-8 border-r border-line px-3 last:border-r-0 max-md:h-11",
            window === chosen ? "bg-chosen font-medium text-ink" : "text-soft hover:bg-hover",
          )}
        >
          {names[window]}
        </button>
      ))}
    </fieldset>
  );
}
