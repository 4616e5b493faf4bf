import { queryOptions, useQuery } from "@tanstack/react-query";
import { accountApi } from "../api/account-client.ts";
import { bodyOf } from "../api/client.ts";
import { useSession } from "../shell/session.tsx";

/** The members of an organization: the owner first. */
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

/** Names the users of the project's organization by their ids; loaded only if `isNeeded`. */
export function useMemberNames(isNeeded: boolean): (userId: string) => string {
  const { organizationId } = useSession().api.project;
  const members = useQuery({ ...membersQuery(organizationId ?? ""), enabled: isNeeded && organizationId != null });
  return (userId) => {
    const member = members.data?.members.find((each) => each.userId === userId);
    if (member !== undefined) return member.name || member.email;
    return members.isSuccess ? "a former member" : "a member";
  };
}
