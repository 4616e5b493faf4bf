import { useQuery } from "@tanstack/react-query";
import type { User } from "../api/connection.ts";
import { membersQuery } from "../blocks/member-names.ts";
import type { Organization } from "../shell/account.ts";
import { Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { InviteForm } from "./invite-form.tsx";
import { MemberRow } from "./member-row.tsx";
import { OrganizationFrame } from "./organization-frame.tsx";
import { OrganizationSettings } from "./organization-settings.tsx";
import { PendingInvitations } from "./pending-invitations.tsx";

/** The members and invitations of an organization, and the organization itself. */
export function MembersPage() {
  return (
    <OrganizationFrame title="Members">
      {(organization, user) => (
        <>
          <Members organization={organization} user={user} />
          {organization.role !== "member" ? (
            <>
              <InviteForm organization={organization} />
              <PendingInvitations organization={organization} />
            </>
          ) : (
            <p className="m-0 text-soft">Owners and admins invite people and remove them.</p>
          )}
          <OrganizationSettings organization={organization} />
        </>
      )}
    </OrganizationFrame>
  );
}

function Members({ organization, user }: { organization: Organization; user: User }) {
  const members = useQuery(membersQuery(organization._id));
  return (
    <Section title="Members" aside={members.data?.members.length}>
      <Loaded query={members}>
        {(data) => (
          <ul className="m-0 list-none p-0">
            {data.members.map((member) => (
              <MemberRow
                key={member._id}
                member={member}
                organization={organization}
                isSelf={member.userId === user.id}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}
