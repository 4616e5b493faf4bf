import { useQuery } from "@tanstack/react-query";
import { patternsQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { IconButton } from "../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { CloseIcon } from "../ui/icons.tsx";
import type { MemberDraft } from "./group-draft.ts";
import { nameMembers } from "./group-members.ts";
import type { Judge } from "./queries.ts";

/** The members of a group: each with its weight, and whether it must pass. */
export function GroupMemberFields({
  members,
  judges,
  onChange,
}: {
  members: readonly MemberDraft[];
  judges: readonly Judge[];
  onChange(members: MemberDraft[]): void;
}) {
  const patterns = useQuery(patternsQuery(useApi())).data ?? [];
  const free = (id: string): boolean => members.every(({ refId }) => refId !== id);
  const nameOf = ({ kind, refId }: MemberDraft): string =>
    kind === "pattern"
      ? (patterns.find(({ _id }) => _id === refId)?.name ?? `pattern ${refId}`)
      : (nameMembers([{ kind, refId, weight: 1, gate: false }], judges)[0]?.name ?? refId);
  const change = (refId: string, changed: Partial<MemberDraft>): void =>
    onChange(members.map((member) => (member.refId === refId ? { ...member, ...changed } : member)));
  return (
    <fieldset className="m-0 min-w-0 border-0 p-0">
      <legend className="mb-1 p-0 text-sm font-medium">Members</legend>
      <p className="m-0 mb-2 text-xs text-faint">
        The rating is their weighted mean. It is 0 where one that must pass does not.
      </p>
      <ul className="m-0 mb-3 list-none border-t border-line p-0">
        {members.map((member) => {
          const name = nameOf(member);
          return (
            <li key={member.refId} className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line py-1.5">
              <span className="min-w-32 flex-1 truncate" title={name}>
                {name}
                {member.kind !== "judge" && <span className="text-faint"> {member.kind}</span>}
              </span>
              <span className="text-faint" aria-hidden>
                weight
              </span>
              <div className="w-20">
                <TextField
                  label={`Weight of ${name}`}
                  isLabelHidden
                  inputMode="decimal"
                  value={member.weight}
                  onChange={({ target }) => change(member.refId, { weight: target.value })}
                />
              </div>
              <CheckField
                label="must pass"
                aria-label={`${name} must pass`}
                checked={member.gate}
                onChange={({ target }) => change(member.refId, { gate: target.checked })}
              />
              <IconButton
                label={`Take ${name} out`}
                onClick={() => onChange(members.filter(({ refId }) => refId !== member.refId))}
              >
                <CloseIcon />
              </IconButton>
            </li>
          );
        })}
      </ul>
      <SelectField
        label="Add a member"
        value=""
        onChange={({ target }) => {
          const [kind, refId] = target.value.split(" ", 2) as [MemberDraft["kind"], string];
          onChange([...members, { kind, refId, weight: "1", gate: false }]);
        }}
      >
        <option value="" disabled>
          Choose a judge or a pattern
        </option>
        <optgroup label="Judges">
          {judges
            .filter(({ _id }) => free(_id))
            .map(({ _id, name }) => (
              <option key={_id} value={`judge ${_id}`}>
                {name}
              </option>
            ))}
        </optgroup>
        <optgroup label="Patterns">
          {patterns
            .filter(({ _id }) => free(_id))
            .map(({ _id, name }) => (
              <option key={_id} value={`pattern ${_id}`}>
                {name}
              </option>
            ))}
        </optgroup>
      </SelectField>
    </fieldset>
  );
}
