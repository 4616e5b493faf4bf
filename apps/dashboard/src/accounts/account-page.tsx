import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { User } from "../api/connection.ts";
import { organizationsQuery } from "../shell/account.ts";
import { Badge, Section } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { AccountFrame } from "./account-frame.tsx";
import { ChangePassword } from "./change-password.tsx";
import { DeleteAccount } from "./delete-account.tsx";
import { OwnName } from "./own-name.tsx";
import { OwnSessions } from "./own-sessions.tsx";
import { accountQuery } from "./queries.ts";

/** The signed-in user and the changes they can make to their account. */
export function AccountPage() {
  return <AccountFrame title="Account">{(user) => <OwnAccount user={user} />}</AccountFrame>;
}

function OwnAccount({ user }: { user: User }) {
  const hasPassword = useQuery(accountQuery).data?.account.hasPassword !== false;
  return (
    <>
      <h1 className="m-0 text-xl">Account</h1>
      <OwnName user={user} />
      <OwnOrganizations />
      {hasPassword && <ChangePassword />}
      <OwnSessions />
      <DeleteAccount user={user} hasPassword={hasPassword} />
    </>
  );
}

function OwnOrganizations() {
  const organizations = useQuery(organizationsQuery);
  return (
    <Section title="Organizations">
      <Loaded query={organizations}>
        {({ organizations: own }) =>
          own.length === 0 ? (
            <p className="m-0 text-soft">
              You are not a member of any organization. Ask a member for an invitation; its link brings you there.
            </p>
          ) : (
            <ul className="m-0 list-none p-0">
              {own.map(({ _id, name, role }) => (
                <li key={_id} className="flex min-h-10 items-center gap-3 border-b border-line max-md:min-h-11">
                  <Link
                    to="/org/$organizationId/members"
                    params={{ organizationId: _id }}
                    className="min-w-0 truncate text-ink hover:text-accent"
                  >
                    {name}
                  </Link>
                  <Badge>{role}</Badge>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
