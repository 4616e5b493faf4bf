import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import type { Organization } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { type Invitation, invitationsQuery } from "./queries.ts";

/** Open invitations; nothing if there are none. */
export function PendingInvitations({ organization }: { organization: Organization }) {
  const invitations = useQuery(invitationsQuery(organization._id));
  if (invitations.data?.invitations.length === 0) return null;
  return (
    <Section title="Invited" aside={invitations.data?.invitations.length}>
      <Loaded query={invitations}>
        {(data) => (
          <ul className="m-0 list-none p-0">
            {data.invitations.map((invitation) => (
              <InvitationRow key={invitation._id} invitation={invitation} organization={organization} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function InvitationRow({ invitation, organization }: { invitation: Invitation; organization: Organization }) {
  const queries = useQueryClient();
  const { say, warn } = useToasts();
  const revoke = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.DELETE("/api/v1/auth-org/organizations/{organizationId}/invitations/{invitationId}", {
          params: { path: { organizationId: organization._id, invitationId: invitation._id } },
        }),
      ),
    onSuccess: () => {
      say(`The invitation of ${invitation.email} is withdrawn.`);
      return queries.invalidateQueries({ queryKey: invitationsQuery(organization._id).queryKey });
    },
    onError: warn,
  });
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1.5">
      <div className="min-w-0 flex-1 basis-56">
        <div className="truncate">{invitation.email}</div>
        <div className="text-xs text-faint">
          until <Time iso={invitation.expiresAt} />
        </div>
      </div>
      <span className="w-32">
        <Badge>{invitation.role}</Badge>
      </span>
      <Button
        look="danger"
        aria-label={`Withdraw the invitation of ${invitation.email}`}
        isBusy={revoke.isPending}
        onClick={() => revoke.mutate()}
      >
        Withdraw
      </Button>
    </li>
  );
}
