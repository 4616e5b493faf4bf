import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import type { Organization } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { Badge } from "../ui/page.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { whyNotChangeRole, whyNotRemove } from "./member-rights.ts";
import type { Member } from "./queries.ts";

/** A member, with the actions that the viewer may take. */
export function MemberRow({
  member,
  organization,
  isSelf,
}: {
  member: Member;
  organization: Organization;
  isSelf: boolean;
}) {
  const queries = useQueryClient();
  const { say, warn } = useToasts();
  const [isRemoving, setRemoving] = useState(false);
  const path = { organizationId: organization._id, memberId: member._id };
  const refresh = () => queries.invalidateQueries({ queryKey: ["account"] });
  const changeRole = useMutation({
    mutationFn: (role: "admin" | "member") =>
      bodyOf(
        accountApi.PATCH("/api/v1/auth-org/organizations/{organizationId}/members/{memberId}", {
          params: { path },
          body: { role },
        }),
      ),
    onSuccess: ({ member: { email, role } }) => {
      say(`${email} is ${role === "admin" ? "an admin" : "a member"} now.`);
      return refresh();
    },
    onError: warn,
  });
  const remove = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.DELETE("/api/v1/auth-org/organizations/{organizationId}/members/{memberId}", { params: { path } }),
      ),
    onSuccess: () => {
      say(`${member.email} is removed.`);
      return refresh();
    },
  });
  const fixedRole = whyNotChangeRole(organization.role, member);
  const stays = whyNotRemove(organization.role, member);
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1.5">
      <div className="min-w-0 flex-1 basis-56">
        <div className="truncate">
          {member.name} {isSelf && <span className="text-faint">(you)</span>}
        </div>
        <div className="truncate text-xs text-faint">{member.email}</div>
      </div>
      {fixedRole === null ? (
        <div className="w-32">
          <SelectField
            label={`Role of ${member.email}`}
            isLabelHidden
            disabled={changeRole.isPending}
            value={changeRole.isPending ? changeRole.variables : member.role}
            onChange={(event) => changeRole.mutate(event.target.value as "admin" | "member")}
          >
            <option value="member">member</option>
            <option value="admin">admin</option>
          </SelectField>
        </div>
      ) : (
        <span className="w-32">
          <Badge title={fixedRole}>{member.role}</Badge>
        </span>
      )}
      {member.role === "owner" ? (
        // As wide as the button of the others.
        <span className="w-20 max-md:hidden" />
      ) : (
        <Button
          look="danger"
          className="w-20"
          aria-label={`Remove ${member.email}`}
          disabled={stays !== null}
          hint={stays ?? undefined}
          onClick={() => setRemoving(true)}
        >
          Remove
        </Button>
      )}
      <ConfirmDialog
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        title={`Remove ${member.email}?`}
        verb="Remove the member"
        onConfirm={() => remove.mutateAsync()}
      >
        {member.name} no longer reads anything of {organization.name}, and the invitations they made are withdrawn. Keys
        that they know go on working: replace the keys of the projects, too. Their account stays.
      </ConfirmDialog>
    </li>
  );
}
