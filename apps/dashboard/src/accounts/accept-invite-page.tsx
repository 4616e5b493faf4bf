import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { sessionQuery, signOut } from "../shell/account.ts";
import { Button, ButtonLink } from "../ui/button.tsx";
import { Loaded, ProblemLine } from "../ui/states.tsx";
import { Entry } from "./entry.tsx";
import { invitationQuery } from "./queries.ts";
import { useGoOn } from "./use-go-on.ts";

/** Where the link of an invitation leads: sign in or up with the invited address, then join. */
export function AcceptInvitePage() {
  const { token } = useSearch({ from: "/accept-invite" });
  return (
    <Entry title="You are invited">
      {() =>
        token === undefined ? (
          <p className="m-0">The link is incomplete. Ask for it again.</p>
        ) : (
          <Invited token={token} />
        )
      }
    </Entry>
  );
}

function Invited({ token }: { token: string }) {
  const session = useQuery(sessionQuery);
  const next = `/accept-invite?token=${encodeURIComponent(token)}`;
  return (
    <Loaded query={session}>
      {(data) =>
        data === null ? (
          <>
            <p className="m-0 text-soft">
              Sign in with the address that was invited, or make an account with it. You come back here.
            </p>
            <div className="flex flex-wrap gap-2">
              <ButtonLink look="primary" to="/sign-up" search={{ next }}>
                Sign up
              </ButtonLink>
              <ButtonLink to="/sign-in" search={{ next }}>
                Sign in
              </ButtonLink>
            </div>
          </>
        ) : (
          <Accept token={token} email={data.user.email} />
        )
      }
    </Loaded>
  );
}

const over = {
  accepted: "It was accepted already.",
  expired: "It has expired. Ask for a new one.",
  revoked: "It was withdrawn.",
} as const;

function Accept({ token, email }: { token: string; email: string }) {
  const queries = useQueryClient();
  const goOn = useGoOn();
  const invitation = useQuery(invitationQuery(token));
  const accept = useMutation({
    mutationFn: () =>
      bodyOf(
        accountApi.POST("/api/v1/auth-org/invitations/{invitationId}/accept", {
          params: { path: { invitationId: token } },
        }),
      ),
    onSuccess: () => goOn("/"),
  });
  const change = useMutation({ mutationFn: () => signOut(queries) });
  return (
    <Loaded query={invitation}>
      {({ invitation: { organizationName, role, status, email: invited, emailMatches } }) => (
        <>
          <p className="m-0">
            To <strong>{organizationName}</strong>, as {role === "admin" ? "an admin" : "a member"}. For {invited}.
          </p>
          {status !== "pending" && <p className="m-0 text-soft">{over[status]}</p>}
          {!emailMatches && (
            <>
              <p className="m-0 text-soft">
                You are signed in as {email}. Only {invited} can accept it.
              </p>
              <div>
                <Button isBusy={change.isPending} onClick={() => change.mutate()}>
                  Sign out and use the other address
                </Button>
              </div>
            </>
          )}
          {status === "pending" && emailMatches && (
            <div>
              <Button look="primary" isBusy={accept.isPending} onClick={() => accept.mutate()}>
                Join {organizationName}
              </Button>
            </div>
          )}
          {(status !== "pending" || !emailMatches) && (
            <div>
              <ButtonLink to="/">Open my projects</ButtonLink>
            </div>
          )}
          {accept.error !== null && <ProblemLine problem={accept.error} />}
        </>
      )}
    </Loaded>
  );
}
