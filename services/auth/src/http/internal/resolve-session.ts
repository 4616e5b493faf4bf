import { internalRoutes } from "@touchstone/contracts";
import type { Handler } from "@touchstone/service-kit";
import type { Accounts } from "../../accounts/accounts.ts";
import type { MembershipStore } from "../../accounts/membership-store.ts";

/** The gateway's question: whose session is this cookie, and what does it open? Without accounts it is nobody's. */
export function resolveSession(dependencies: { accounts: Accounts | null; members: MembershipStore }): Handler {
  const { accounts, members } = dependencies;
  return async (call) => {
    const { cookie } = internalRoutes.resolveSession.body.parse(await call.json());
    const userId = (await accounts?.findUser(cookie)) ?? null;
    if (userId === null) return { status: 200, body: { session: null } };
    const [memberships, projects] = await Promise.all([members.membershipsOf(userId), members.projectsOf(userId)]);
    return { status: 200, body: { session: { userId, memberships, projects } } };
  };
}
