import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import type { paths } from "../api/schema.gen.d.ts";

type OrganizationList = paths["/api/v1/auth-org/organizations"]["get"]["responses"][200]["content"]["application/json"];
/** An organization of the signed-in user, with their role in it. */
export type Organization = OrganizationList["organizations"][number];

/** The organizations of the signed-in user, in the order of joining. */
export const organizationsQuery = queryOptions({
  queryKey: ["account", "organizations"],
  queryFn: ({ signal }) => bodyOf(accountApi.GET("/api/v1/auth-org/organizations", { signal })),
  staleTime: 60_000,
});

/** The signed-in user and their session; null when signed out. */
export const sessionQuery = queryOptions({
  queryKey: ["account", "session"],
  queryFn: async ({ signal }) => (await accountApi.GET("/api/v1/auth/get-session", { signal })).data ?? null,
  staleTime: 60_000,
});

/** The sign-in methods of this installation. */
export const authConfigQuery = queryOptions({
  queryKey: ["account", "config"],
  queryFn: ({ signal }) => bodyOf(accountApi.GET("/api/v1/auth/config", { signal })),
  staleTime: 60_000,
});

/** Ends the session and clears all data that this tab loaded under it. */
export async function signOut(queries: QueryClient): Promise<void> {
  await accountApi.POST("/api/v1/auth/sign-out", { body: {} });
  await queries.cancelQueries();
  queries.clear();
}
