import { useQuery } from "@tanstack/react-query";
import { organizationsQuery } from "./account.ts";
import { useSession } from "./session.tsx";

/** Whether an action is allowed here; if not, `why` names the required role, for the hint of a disabled control. */
export interface Permission {
  may: boolean;
  /** Undefined if the action is allowed, and while the role is loading. */
  why: string | undefined;
}

/** Why an action is disabled, for menus and editors; undefined if it is allowed. */
export const refusalOf = ({ may, why }: Permission): string | undefined =>
  may ? undefined : (why ?? "Your role is still being read.");

/**
 * Whether the viewer administers this project: everyone without accounts, else owners and admins of its organization.
 * The API refuses the others in any case; this only tells them before they try.
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
