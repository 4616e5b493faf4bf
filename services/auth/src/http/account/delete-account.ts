import { AppError, type Handler } from "@touchstone/service-kit";
import type { OwnAccountStore } from "../../accounts/own-account-store.ts";
import type { OwnPassword } from "../../accounts/own-password.ts";
import { membersOf, requireUser } from "../require-user.ts";
import { requireAccount } from "./show-account.ts";

export interface DeleteAccountDependencies {
  ownAccounts: OwnAccountStore;
  ownPassword: OwnPassword;
  /** Says that an event was committed; it would go out a moment later anyhow. */
  announceRevocations: () => void;
}

/** `DELETE /auth-org/account`: after the address was typed, and the password where there is one. There is no undo. */
export function deleteAccount(dependencies: DeleteAccountDependencies): Handler {
  const { ownAccounts, ownPassword, announceRevocations } = dependencies;
  return async (call) => {
    const { userId, act } = requireUser(call);
    const { confirmEmail, password } = membersOf(await call.json());
    const account = requireAccount(await ownAccounts.read(userId));
    if (typeof confirmEmail !== "string" || confirmEmail.trim().toLowerCase() !== account.email) {
      throw new AppError("bad_request", `confirmEmail must be the account's address: ${account.email}`);
    }
    if (account.hasPassword) {
      if (typeof password !== "string" || password === "") throw new AppError("bad_request", "password is required");
      const outcome = await ownPassword.check(account, password);
      if (outcome === "wrong") throw new AppError("bad_request", "The password is wrong");
    }
    await ownAccounts.deleteAccount(userId, act);
    announceRevocations();
    return { status: 200, body: { ok: true } };
  };
}
