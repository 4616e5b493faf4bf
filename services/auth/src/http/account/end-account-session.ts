import { AppError, type Handler } from "@touchstone/service-kit";
import type { OwnAccountStore } from "../../accounts/own-account-store.ts";
import { requireUser } from "../require-user.ts";

/** `DELETE /auth-org/account/sessions/{id}`: whoever has its cookie has to sign in again. */
export function endAccountSession(dependencies: {
  ownAccounts: OwnAccountStore;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}): Handler {
  return async (call) => {
    const { userId } = requireUser(call);
    const isEnded = await dependencies.ownAccounts.endSession(userId, call.params.sessionId ?? "");
    if (!isEnded) throw new AppError("not_found", "Session not found");
    dependencies.announceRevocations();
    return { status: 200, body: { ok: true } };
  };
}
