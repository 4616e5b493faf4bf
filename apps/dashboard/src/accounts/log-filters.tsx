import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { membersQuery } from "../blocks/member-names.ts";
import { Button } from "../ui/button.tsx";
import { SelectField } from "../ui/field.tsx";
import { describeAction } from "./describe-act.ts";
import type { LogFilter } from "./queries.ts";

/** The part of an action before the dot. */
const kinds = [
  "organization",
  "member",
  "invitation",
  "account",
  "project",
  "provider-keys",
  "model",
  "retention",
  "monitoring-defaults",
  "monitoring-profile",
  "pattern",
  "custom-evaluator",
  "alert-rule",
  "webhook",
  "grading-config",
  "scorer-group",
  "dataset",
  "run",
  "traces",
  "tool-schema",
] as const;

/** The kind of act and the user; in the URL. */
export function LogFilters({ organizationId, filter }: { organizationId: string; filter: LogFilter }) {
  const navigate = useNavigate({ from: "/org/$organizationId/log" });
  const members = useQuery(membersQuery(organizationId)).data?.members ?? [];
  const choose = (change: LogFilter) => void navigate({ search: { ...filter, ...change } });
  const { action, actor } = filter;
  return (
    <div className="flex flex-wrap items-end gap-2">
      <div className="min-w-40 flex-1 sm:max-w-56">
        <SelectField
          label="Acts on"
          value={action ?? ""}
          onChange={(event) => choose({ action: event.target.value || undefined })}
        >
          <option value="">everything</option>
          {action !== undefined && !kinds.some((kind) => kind === action) && (
            <option value={action}>{describeAction(action)}</option>
          )}
          {kinds.map((kind) => (
            <option key={kind} value={kind}>
              {describeAction(kind)}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="min-w-40 flex-1 sm:max-w-72">
        <SelectField
          label="By"
          value={actor ?? ""}
          onChange={(event) => choose({ actor: event.target.value || undefined })}
        >
          <option value="">anybody</option>
          {actor !== undefined && !members.some(({ userId }) => userId === actor) && (
            <option value={actor}>Another person</option>
          )}
          {members.map(({ userId, email }) => (
            <option key={userId} value={userId}>
              {email}
            </option>
          ))}
        </SelectField>
      </div>
      {(action !== undefined || actor !== undefined) && (
        <Button look="ghost" onClick={() => choose({ action: undefined, actor: undefined })}>
          Clear
        </Button>
      )}
    </div>
  );
}
