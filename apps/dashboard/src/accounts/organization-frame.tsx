import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { User } from "../api/connection.ts";
import { type Organization, organizationsQuery } from "../shell/account.ts";
import { Badge } from "../ui/page.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { AccountFrame } from "./account-frame.tsx";

/** The pages of one organization. One without the caller as a member is shown as missing. */
export function OrganizationFrame({
  title,
  children,
}: {
  title: string;
  children(organization: Organization, user: User): ReactNode;
}) {
  return (
    <AccountFrame title={title}>{(user) => <OpenOrganization user={user}>{children}</OpenOrganization>}</AccountFrame>
  );
}

function OpenOrganization({
  user,
  children,
}: {
  user: User;
  children(organization: Organization, user: User): ReactNode;
}) {
  const { organizationId } = useParams({ strict: false });
  const organizations = useQuery(organizationsQuery);
  return (
    <Loaded query={organizations}>
      {({ organizations: own }) => {
        const organization = own.find(({ _id }) => _id === organizationId);
        if (organization === undefined) {
          return (
            <EmptyState title="Not here, or not yours" isWholePage>
              There is no such organization, or you are not a member of it.
            </EmptyState>
          );
        }
        return (
          <>
            <header className="flex flex-col gap-3">
              <div className="flex flex-wrap items-center gap-3">
                <h1 className="m-0 min-w-0 truncate text-xl">{organization.name}</h1>
                <Badge>you: {organization.role}</Badge>
              </div>
              <OrganizationTabs organization={organization} />
            </header>
            {/* The pages of two organizations are one route: what is typed and shown on one is not of the other. */}
            <Fragment key={organization._id}>{children(organization, user)}</Fragment>
          </>
        );
      }}
    </Loaded>
  );
}

function OrganizationTabs({ organization: { _id } }: { organization: Organization }) {
  const look =
    "-mb-px flex h-9 items-center border-b-2 border-transparent px-3 text-soft no-underline hover:text-ink max-md:h-11 aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink";
  return (
    <nav aria-label="Organization" className="flex gap-1 border-b border-line">
      <Link to="/org/$organizationId/members" params={{ organizationId: _id }} className={look}>
        Members
      </Link>
      <Link to="/org/$organizationId/log" params={{ organizationId: _id }} className={look}>
        Log
      </Link>
    </nav>
  );
}
