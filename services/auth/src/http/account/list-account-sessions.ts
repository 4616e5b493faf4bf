import type { Handler } from "@touchstone/service-kit";
import type { OwnAccountStore, OwnSession } from "../../accounts/own-account-store.ts";
import { requireUser } from "../require-user.ts";

/** `GET /auth-org/account/sessions`: where the caller is signed in. No token is shown. */
export function listAccountSessions({ ownAccounts }: { ownAccounts: OwnAccountStore }): Handler {
  return async (call) => {
    const sessions = await ownAccounts.listSessions(requireUser(call).userId);
    return { status: 200, headers: { "cache-control": "no-store" }, body: { sessions: sessions.map(showSession) } };
  };
}

function showSession({ id, userAgent, ipAddress, createdAt, renewedAt, expiresAt }: OwnSession) {
  return {
    _id: id,
    userAgent,
    ipAddress,
    createdAt: createdAt.toISOString(),
    renewedAt: renewedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
  };
}
