import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { sessionQuery } from "../shell/account.ts";
import { Button } from "../ui/button.tsx";
import { Badge, Section, Time } from "../ui/page.tsx";
import { Loaded } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { describeBrowser } from "./describe-browser.ts";
import { type AccountSession, sessionsQuery } from "./queries.ts";

/** Where the caller is signed in, with the way to end each session but this one. */
export function OwnSessions() {
  const sessions = useQuery(sessionsQuery);
  const current = useQuery(sessionQuery).data?.session.id;
  const end = useEndSessions();
  const others = sessions.data?.sessions.filter(({ _id }) => _id !== current) ?? [];
  return (
    <Section
      title="Sessions"
      aside={sessions.data?.sessions.length}
      actions={
        others.length > 1 && (
          <Button isBusy={end.isPending} onClick={() => end.mutate(others)}>
            End all others
          </Button>
        )
      }
    >
      <Loaded query={sessions}>
        {(data) => (
          <ul className="m-0 list-none p-0">
            {data.sessions.map((session) => (
              <SessionRow key={session._id} session={session} isCurrent={session._id === current} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

function SessionRow({ session, isCurrent }: { session: AccountSession; isCurrent: boolean }) {
  const end = useEndSessions();
  const browser = describeBrowser(session.userAgent);
  return (
    <li className="flex min-h-12 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1.5">
      <div className="min-w-0 flex-1 basis-56">
        <div className="flex items-center gap-2">
          <span className="truncate" title={session.userAgent ?? undefined}>
            {browser}
          </span>
          {isCurrent && <Badge look="good">this one</Badge>}
        </div>
        <div className="text-xs text-faint">
          {session.ipAddress !== null && `${session.ipAddress} · `}signed in <Time iso={session.createdAt} /> · until{" "}
          <Time iso={session.expiresAt} />
        </div>
      </div>
      {!isCurrent && (
        <Button
          look="danger"
          aria-label={`End the session of ${browser}`}
          isBusy={end.isPending}
          onClick={() => end.mutate([session])}
        >
          End
        </Button>
      )}
    </li>
  );
}

function useEndSessions() {
  const queries = useQueryClient();
  const { say, warn } = useToasts();
  return useMutation({
    mutationFn: (ended: readonly AccountSession[]) =>
      Promise.all(
        ended.map(({ _id }) =>
          bodyOf(
            accountApi.DELETE("/api/v1/auth-org/account/sessions/{sessionId}", {
              params: { path: { sessionId: _id } },
            }),
          ),
        ),
      ),
    onSuccess: (_, ended) =>
      say(ended.length === 1 ? "The session has ended." : `${ended.length} sessions have ended.`),
    onError: warn,
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}
