import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { SearchField } from "../ui/search-field.tsx";
import {
  agentsOf,
  defaultWindow,
  type SessionRow,
  type SessionSort,
  type SessionsSearch,
  type SessionWindow,
  sessionSorts,
  sessionWindows,
} from "./session-list.ts";

const windowNames: Record<SessionWindow, string> = {
  "1h": "Last hour",
  "24h": "Last 24 hours",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
};

/** The filters and the order of the list, all of them in the URL. */
export function SessionsFilter({
  search,
  sessions,
  onChange,
}: {
  search: SessionsSearch;
  sessions: readonly SessionRow[];
  onChange(changed: { [Name in keyof SessionsSearch]?: SessionsSearch[Name] | undefined }, isTyping?: boolean): void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-2 max-md:grid max-md:grid-cols-2 md:px-6">
      <SearchField
        group="Sessions"
        placeholder="Session or agent"
        className="w-64 max-md:col-span-2 max-md:w-auto"
        value={search.search ?? ""}
        onChange={(text) => onChange({ search: text || undefined }, true)}
      />
      <Choice
        label="Agent"
        value={search.agent ?? ""}
        options={[["", "All agents"], ...agentsOf(sessions).map(({ id, name }): [string, string] => [id, name])]}
        onChoose={(agent) => onChange({ agent: agent || undefined })}
      />
      <Choice
        label="Time"
        value={search.window ?? defaultWindow}
        options={sessionWindows.map((window) => [window, windowNames[window]])}
        onChoose={(window) => onChange({ window: window as SessionWindow })}
      />
      <Choice
        label="Rating"
        value={search.rating ?? ""}
        options={[
          ["", "Rated or not"],
          ["rated", "Rated"],
          ["unrated", "Not rated"],
        ]}
        onChoose={(rating) => onChange({ rating: (rating || undefined) as SessionsSearch["rating"] })}
      />
      <Toggle isOn={search.talks === true} onTurn={(isOn) => onChange({ talks: isOn || undefined })}>
        Several turns
      </Toggle>
      <Toggle isOn={search.error === true} onTurn={(isOn) => onChange({ error: isOn || undefined })}>
        Failed
      </Toggle>
      <div className="md:ml-auto">
        <Choice
          label="Order"
          value={search.sort ?? "last"}
          options={Object.entries(sessionSorts)}
          onChoose={(sort) => onChange({ sort: sort === "last" ? undefined : (sort as SessionSort) })}
        />
      </div>
    </div>
  );
}

function Choice({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
  onChoose(value: string): void;
}) {
  return (
    <div className="w-40 max-md:w-auto">
      <SelectField label={label} isLabelHidden value={value} onChange={(event) => onChoose(event.target.value)}>
        {options.map(([key, name]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

function Toggle({ isOn, onTurn, children }: { isOn: boolean; onTurn(isOn: true | undefined): void; children: string }) {
  return (
    <Button
      aria-pressed={isOn}
      className={isOn ? "border-accent! bg-chosen!" : ""}
      onClick={() => onTurn(isOn ? undefined : true)}
    >
      {children}
    </Button>
  );
}
