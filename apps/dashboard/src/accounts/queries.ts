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
export type AuditEvent = Answer<"/api/v1/auth-org/organizations/{organizationId}/audit">["events"][number];

/** What the link of an invitation is about, for who is signed in. */
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

/** Who is in an organization: the owner first. */
export const membersQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["account", "members", organizationId],
    queryFn: ({ signal }) =>
      bodyOf(
        accountApi.GET("/api/v1/auth-org/organizations/{organizationId}/members", {
          params: { path: { organizationId } },
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

/** The projects of who is signed in, of all their organizations. */
export const ownProjectsQuery = queryOptions({
  queryKey: ["account", "projects"],
  queryFn: ({ signal }) => bodyOf(accountApi.GET("/api/v1/projects", { signal })),
});

/** The log of an organization, newest first, by pages. */
export const logQuery = (organizationId: string) =>
  infiniteQueryOptions({
    queryKey: ["account", "log", organizationId],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        accountApi.GET("/api/v1/auth-org/organizations/{organizationId}/audit", {
          params: {
            path: { organizationId },
            query: { limit: "100", ...(pageParam !== null && { cursor: pageParam }) },
          },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
