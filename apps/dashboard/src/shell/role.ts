import { useQuery } from "@tanstack/react-query";
import { organizationsQuery } from "./account.ts";
import { useSession } from "./session.tsx";

/** Whether somebody may do something here; where not, `why` says who may, for the hint of a disabled control. */
export interface Permission {
  may: boolean;
  /** Undefined where they may, and while the role is read. */
  why: string | undefined;
}

/**
 * Whether whoever looks at this project administers it: everybody without accounts, else owners and admins of its
 * organization. The API refuses the others in any case; this only says so before they try.
 */
export function useAdministers(): Permission {
  const { config, api } = useSession();
  const hasAccounts = config.mode === "enabled";
  const organizations = useQuery({ ...organizationsQuery, enabled: hasAccounts });
  if (!hasAccounts) return { may: true, why: undefined };
  if (organizations.data === undefined) return { may: false, why: undefined };
  const own = organizations.data.organizations.find(({ _id }) => _id === api.project.organizationId);
  if (own !== undefined && own.role !== "member") return { may: true, why: undefined };
  return { may: false, why: `Only an owner or admin${own === undefined ? "" : ` of ${own.name}`} may do this.` };
}
