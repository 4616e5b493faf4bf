import { AppError, type Handler } from "@touchstone/service-kit";
import manifest from "../../../package.json" with { type: "json" };
import type { MembershipStore } from "../../accounts/membership-store.ts";
import type { AccountsConfig } from "../../config.ts";
import type { ProjectStore } from "../../projects/project-store.ts";
import { uncached } from "../../projects/show-project.ts";

export interface GetAuthConfigDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  /** Null in default mode. */
  accountsConfig: AccountsConfig | null;
}

/** All packages of a release have one version. */
const { version } = manifest;

/**
 * `GET /auth/config` (interface: Modes; completions 12.1). Default mode has no accounts, and hands out the default
 * project's key. With accounts it tells how to sign in, and never a key.
 */
export function getAuthConfig({ projects, members, accountsConfig }: GetAuthConfigDependencies): Handler {
  return async () => {
    if (accountsConfig !== null) {
      const { mail, requiresVerification, multiTenant, openSignup, providers } = accountsConfig;
      const body = {
        mode: "enabled",
        version,
        needsSetup: await members.needsSetup(),
        socialProviders: (["google", "github"] as const).filter((name) => providers[name] !== null),
        emailEnabled: mail !== null,
        verificationRequired: requiresVerification,
        oidc: providers.oidc && { name: providers.oidc.name },
        multiTenant,
        openSignup,
      };
      return { status: 200, headers: uncached, body };
    }
    const project = await projects.findDefaultProject();
    if (project === null) throw new AppError("store_unavailable", "The service is starting; retry.");
    const body = { mode: "disabled", version, needsSetup: false, apiKey: project.apiKey };
    return { status: 200, headers: uncached, body };
  };
}
