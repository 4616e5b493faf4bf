import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Severity, severities } from "../blocks/severities.ts";
import { agentsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { classNames } from "../ui/class-names.ts";
import { SelectField } from "../ui/field.tsx";
import { formatCount } from "../ui/format.ts";
import { SearchField } from "../ui/search-field.tsx";
import type { SignalFilters } from "./queries.ts";
import { countOfChoice, type SignalStatus, type StatusChoice, statusChoices, statusNames } from "./rules.ts";

type Counts = Readonly<Partial<Record<SignalStatus, number>>>;

/** The filters of the list, all of them in the URL. `counts` include every signal that matches the other filters. */
export function InboxFilters({ filters, counts }: { filters: SignalFilters; counts: Counts | undefined }) {
  const navigate = useNavigate({ from: "/p/$projectId/inbox" });
  const agents = useQuery(agentsQuery(useApi()));
  const narrow = (change: Partial<SignalFilters>, isTyping = false): void => {
    const closed = { open: undefined, seen: undefined, why: undefined, day: undefined };
    void navigate({ search: (before) => ({ ...before, ...closed, ...change }), replace: isTyping });
  };
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 pb-3 md:px-6">
      <StatusChoices chosen={filters.status} counts={counts} onChoose={(status) => narrow({ status })} />
      <div className="flex min-w-0 flex-1 flex-wrap gap-2 md:justify-end">
        <div className="w-36 max-md:flex-1">
          <SelectField
            label="Severity"
            isLabelHidden
            value={filters.severity ?? ""}
            onChange={({ target }) => narrow({ severity: (target.value || undefined) as Severity | undefined })}
          >
            <option value="">Any severity</option>
            {severities.map((severity) => (
              <option key={severity}>{severity}</option>
            ))}
          </SelectField>
        </div>
        <div className="w-44 max-md:flex-1">
          <SelectField
            label="Agent"
            isLabelHidden
            value={filters.agent ?? ""}
            onChange={({ target }) => narrow({ agent: target.value || undefined })}
          >
            <option value="">Any agent</option>
            {agents.data?.map(({ _id, name }) => (
              <option key={_id} value={_id}>
                {name}
              </option>
            ))}
          </SelectField>
        </div>
        <SearchField
          label="Search signals"
          placeholder="Search"
          group="Signals"
          className="w-56 max-md:w-full"
          value={filters.search ?? ""}
          onChange={(text) => narrow({ search: text || undefined }, true)}
        />
      </div>
    </div>
  );
}

function StatusChoices({
  chosen,
  counts,
  onChoose,
}: {
  chosen: StatusChoice;
  counts: Counts | undefined;
  onChoose(choice: StatusChoice): void;
}) {
  return (
    <fieldset className="m-0 -ml-2 flex min-w-0 overflow-x-auto border-0 p-0">
      <legend className="sr-only">Status</legend>
      {statusChoices.map((choice) => (
        <button
          key={choice}
          type="button"
          aria-pressed={choice === chosen}
          onClick={() => onChoose(choice)}
          className={classNames(
            "flex h-8 shrink-0 items-center gap-1.5 rounded-sm px-2 max-md:h-11",
            choice === chosen ? "bg-chosen font-medium text-ink" : "text-soft hover:bg-hover",
          )}
        >
          {statusNames[choice]}
          <span className="text-xs font-normal text-soft tabular-nums">
            {counts === undefined ? "" : formatCount(countOfChoice(counts, choice))}
          </span>
        </button>
      ))}
    </fieldset>
  );
}
