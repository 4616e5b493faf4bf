import type { Handler } from "@touchstone/service-kit";
import type { OwnAccountStore } from "../../accounts/own-account-store.ts";
import { readProjectName } from "../../projects/submitted-project.ts";
import { requireUser } from "../require-user.ts";
import { showAccount } from "./show-account.ts";

/** `PATCH /auth-org/account`: a new name, by the rules for names of projects. */
export function renameAccount({ ownAccounts }: { ownAccounts: OwnAccountStore }): Handler {
  return async (call) => {
    const { userId } = requireUser(call);
    return showAccount(await ownAccounts.rename(userId, readProjectName(await call.json())));
  };
}
