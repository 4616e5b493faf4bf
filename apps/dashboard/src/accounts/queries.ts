import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type Member = Answer<"/api/v1/auth-org/organizations/{organizationId}/members">["members"][number];
export type Invitation = Answer<"/api/v1/auth-org/organizations/{organizationId}/invitations">["invitations"][number];
export type AccountSession = Answer<"/api/v1/auth-org/account/sessions">["sessions"][number];
export type AuditEvent = Answer<"/api/v1/auth-org/organizations/{organizationId}/audit">["events"][number];

/** The invitation behind a link, for a signed-in user. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ["account", "invitation", token],
    queryFn: ({ signal }) =>
      bodyOf(
        accountApi.GET("/api/v1/auth-org/invitations/{invitationId}", {
          params: { path: { invitationId: token } },
          signal,
        }),
      ),
  });

/** Invitations that can still be accepted. */
export const invitationsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["account", "invitations", organizationId],
    queryFn: ({ signal }) =>
      bodyOf(
        accountApi.GET("/api/v1/auth-org/organizations/{organizationId}/invitations", {
          params: { path: { organizationId } },
          signal,
        }),
      ),
  });

/** The account of who is signed in. */
export const accountQuery = queryOptions({
  queryKey: ["account", "own"],
  queryFn: ({ signal }) => bodyOf(accountApi.GET("/api/v1/auth-org/account", { signal })),
});

/** Where the caller is signed in. */
export const sessionsQuery = queryOptions({
  queryKey: ["account", "sessions"],
  queryFn: ({ signal }) => bodyOf(accountApi.GET("/api/v1/auth-org/account/sessions", { signal })),
});

/** The projects of who is signed in, of all their organizations. */
export const ownProjectsQuery = queryOptions({
  queryKey: ["account", "projects"],
  queryFn: ({ signal }) => bodyOf(accountApi.GET("/api/v1/projects", { signal })),
});

/** The filters of a log; undefined ones do not filter. */
export interface LogFilter {
  /** An action, or all of a kind. */
  action?: string | undefined;
  actor?: string | undefined;
}

/** The log of an organization, newest first, by pages. */
export const logQuery = (organizationId: string, { action, actor }: LogFilter) =>
  infiniteQueryOptions({
    queryKey: ["account", "log", organizationId, action ?? null, actor ?? null],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        accountApi.GET("/api/v1/auth-org/organizations/{organizationId}/audit", {
          params: {
            path: { organizationId },
            query: {
              limit: "50",
              ...(pageParam !== null && { cursor: pageParam }),
              ...(action !== undefined && { action }),
              ...(actor !== undefined && { actorId: actor }),
            },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
