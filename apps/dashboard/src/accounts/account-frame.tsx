import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import type { User } from "../api/connection.ts";
import { authConfigQuery, organizationsQuery, sessionQuery, signOut } from "../shell/account.ts";
import { NewVersionBanner } from "../shell/new-version-banner.tsx";
import { SignInRedirect } from "../shell/sign-in-redirect.tsx";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Loaded } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { EndedSession } from "./ended-session.tsx";

/**
 * The frame of the pages of an account and of organizations. A signed-out user is sent to sign in and returns; without
 * accounts these pages do not exist.
 */
export function AccountFrame({ title, children }: { title: string; children(user: User): ReactNode }) {
  const config = useQuery(authConfigQuery);
  const session = useQuery(sessionQuery);
  useEffect(() => {
    document.title = `${title} · Touchstone`;
  }, [title]);
  if (config.data?.mode === "disabled") return <Navigate to="/" replace />;
  // A user whose session ends stays on the page, so that no input is lost.
  const known = useRef<User | null>(null);
  if (session.data) known.current = session.data.user;
  const user = known.current;
  if (session.data === null && user === null) return <SignInRedirect />;
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1 md:px-6">
        <Link to="/" className="text-base font-semibold text-ink no-underline">
          Touchstone
        </Link>
        {user !== null && <Places />}
        <div className="ml-auto flex items-center gap-2">
          <ButtonLink to="/">To the projects</ButtonLink>
          <SignOutButton />
        </div>
      </header>
      <NewVersionBanner />
      {user !== null && <EndedSession user={user} isOver={session.data === null} />}
      <main className="mx-auto flex w-full max-w-4xl flex-1 flex-col gap-8 px-4 py-6 md:px-6">
        {user !== null ? children(user) : <Loaded query={session}>{() => null}</Loaded>}
      </main>
    </div>
  );
}

/** The account, and each organization by its name. */
function Places() {
  const organizations = useQuery(organizationsQuery);
  const { organizationId: open } = useParams({ strict: false });
  const look =
    "flex h-8 max-md:h-11 items-center rounded-sm px-2.5 text-soft no-underline hover:bg-hover aria-[current=page]:bg-hover aria-[current=page]:text-ink";
  return (
    <nav aria-label="Account and organizations" className="flex min-w-0 flex-wrap gap-1">
      <Link to="/account" className={look}>
        Account
      </Link>
      {organizations.data?.organizations.map(({ _id, name }) => (
        <Link
          key={_id}
          to="/org/$organizationId/members"
          params={{ organizationId: _id }}
          className={look}
          title={name}
          // Also while its log is open.
          {...(_id === open && { "aria-current": "page" as const })}
        >
          <span className="max-w-48 truncate">{name}</span>
        </Link>
      ))}
    </nav>
  );
}

function SignOutButton() {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { warn } = useToasts();
  const leave = useMutation({
    mutationFn: () => signOut(queries),
    onSuccess: () => void navigate({ to: "/sign-in" }),
    onError: warn,
  });
  return (
    <Button isBusy={leave.isPending} onClick={() => leave.mutate()}>
      Sign out
    </Button>
  );
}
