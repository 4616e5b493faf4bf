import type { Handler } from "@touchstone/service-kit";
import type { OwnAccountStore } from "../../accounts/own-account-store.ts";
import { requireUser } from "../require-user.ts";
import { showAccount } from "./show-account.ts";

/** `GET /auth-org/account`: who is signed in. */
export function readAccount({ ownAccounts }: { ownAccounts: OwnAccountStore }): Handler {
  return async (call) => showAccount(await ownAccounts.read(requireUser(call).userId));
}
