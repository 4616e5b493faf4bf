import { useQuery } from "@tanstack/react-query";
import { agentsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { CheckField, SelectField } from "../ui/field.tsx";

/** One agent, or all of them. */
export function OneAgent({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | null;
  onChange(agentId: string | null): void;
}) {
  const agents = useQuery(agentsQuery(useApi())).data ?? [];
  return (
    <SelectField label={label} value={value ?? ""} onChange={({ target }) => onChange(target.value || null)}>
      <option value="">All agents together</option>
      {agents.map(({ _id, name }) => (
        <option key={_id} value={_id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

/** Some agents, or, with none chosen, all of them. */
export function SomeAgents({
  legend,
  chosen,
  onChange,
}: {
  legend: string;
  chosen: readonly string[];
  onChange(agentIds: string[]): void;
}) {
  const agents = useQuery(agentsQuery(useApi())).data ?? [];
  return (
    <fieldset className="m-0 border-0 p-0">
      <legend className="mb-1 p-0 text-sm font-medium">{legend}</legend>
      <div className="flex max-h-48 flex-wrap gap-x-5 gap-y-2 overflow-y-auto max-md:flex-col max-md:gap-y-3">
        <CheckField label="All agents" checked={chosen.length === 0} onChange={() => onChange([])} />
        {agents.map(({ _id, name }) => (
          <CheckField
            key={_id}
            label={name}
            checked={chosen.includes(_id)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, _id] : chosen.filter((other) => other !== _id))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The name of an agent; its id where it is not known, "all agents" of none. */
export function useAgentName(): (agentId: string | null | undefined) => string {
  const agents = useQuery(agentsQuery(useApi())).data ?? [];
  return (agentId) => (agentId == null ? "all agents" : (agents.find(({ _id }) => _id === agentId)?.name ?? agentId));
}
