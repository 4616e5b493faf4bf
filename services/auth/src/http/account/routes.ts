import { routes } from "@touchstone/contracts";
import type { ServedRoute } from "@touchstone/service-kit";
import { type DeleteAccountDependencies, deleteAccount } from "./delete-account.ts";
import { endAccountSession } from "./end-account-session.ts";
import { listAccountSessions } from "./list-account-sessions.ts";
import { readAccount } from "./read-account.ts";
import { renameAccount } from "./rename-account.ts";

/** What people read and change of their own account, where accounts are enabled. */
export function listOwnAccountRoutes(dependencies: DeleteAccountDependencies): ServedRoute[] {
  return [
    { route: routes.readAccount, handle: readAccount(dependencies) },
    { route: routes.renameAccount, handle: renameAccount(dependencies) },
    { route: routes.deleteAccount, handle: deleteAccount(dependencies) },
    { route: routes.listAccountSessions, handle: listAccountSessions(dependencies) },
    { route: routes.endAccountSession, handle: endAccountSession(dependencies) },
  ];
}
