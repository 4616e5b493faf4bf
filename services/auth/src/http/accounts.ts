import { routes } from "@touchstone/contracts";
import { type Answer, AppError, type Handler, parseBody, type ServedRoute } from "@touchstone/service-kit";
import manifest from "../../package.json" with { type: "json" };
import type { MembershipStore } from "../accounts/membership-store.ts";
import type { OwnAccount, OwnAccountStore, OwnSession } from "../accounts/own-account-store.ts";
import type { OwnPassword } from "../accounts/own-password.ts";
import type { AccountsConfig } from "../config.ts";
import type { ProjectStore } from "../projects/project-store.ts";
import { uncached } from "./projects.ts";
import { membersOf, requireUser } from "./require-user.ts";

/** Routes for users' own accounts, if accounts are enabled. */
export function listOwnAccountRoutes(dependencies: DeleteAccountDependencies): ServedRoute[] {
  return [
    { route: routes.readAccount, handle: readAccount(dependencies) },
    { route: routes.renameAccount, handle: renameAccount(dependencies) },
    { route: routes.deleteAccount, handle: deleteAccount(dependencies) },
    { route: routes.listAccountSessions, handle: listAccountSessions(dependencies) },
    { route: routes.endAccountSession, handle: endAccountSession(dependencies) },
  ];
}

interface GetAuthConfigDependencies {
  projects: ProjectStore;
  members: MembershipStore;
  /** Null in default mode. */
  accountsConfig: AccountsConfig | null;
}

/** All packages of a release have one version. */
const { version } = manifest;

/**
 * `GET /auth/config` (interface: Modes; completions 12.1). In default mode, which has no accounts, it returns the
 * default project's key. With accounts it describes the ways to sign in, and never returns a key.
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

/** `GET /auth-org/account`: the signed-in user. */
function readAccount({ ownAccounts }: { ownAccounts: OwnAccountStore }): Handler {
  return async (call) => showAccount(await ownAccounts.read(requireUser(call).userId));
}

/** `PATCH /auth-org/account`: a new name, by the rules for project names. */
function renameAccount({ ownAccounts }: { ownAccounts: OwnAccountStore }): Handler {
  return async (call) => {
    const { userId } = requireUser(call);
    const { name } = parseBody(await call.json(), routes.renameAccount.body);
    return showAccount(await ownAccounts.rename(userId, name));
  };
}

interface DeleteAccountDependencies {
  ownAccounts: OwnAccountStore;
  ownPassword: OwnPassword;
  /** Publishes the committed event at once instead of a moment later. */
  announceRevocations: () => void;
}

/** `DELETE /auth-org/account`: requires the typed address, and the password if there is one. It cannot be undone. */
function deleteAccount(dependencies: DeleteAccountDependencies): Handler {
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

/** `GET /auth-org/account/sessions`: the caller's sessions, without tokens. */
function listAccountSessions({ ownAccounts }: { ownAccounts: OwnAccountStore }): Handler {
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

/** `DELETE /auth-org/account/sessions/{id}`: ends a session. Its cookie no longer signs in. */
function endAccountSession(dependencies: {
  ownAccounts: OwnAccountStore;
  /** Publishes the committed event at once instead of a moment later. */
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

/** The caller's account. Throws 401 if it was deleted in the meantime. */
function showAccount(account: OwnAccount | null): Answer {
  const { id, ...rest } = requireAccount(account);
  return { status: 200, headers: { "cache-control": "no-store" }, body: { account: { _id: id, ...rest } } };
}

function requireAccount(account: OwnAccount | null): OwnAccount {
  if (account === null) throw new AppError("unauthorized", "Sign in first");
  return account;
}
