import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../shell/project-route.tsx";
import { searchOf, text } from "../ui/search-params.ts";

const getParentRoute = () => rootRoute;

const signInRoute = createRoute({
  getParentRoute,
  path: "sign-in",
  validateSearch: searchOf({ next: text, error: text }),
  component: lazyRouteComponent(() => import("./sign-in-page.tsx"), "SignInPage"),
});

const signUpRoute = createRoute({
  getParentRoute,
  path: "sign-up",
  validateSearch: searchOf({ next: text }),
  component: lazyRouteComponent(() => import("./sign-up-page.tsx"), "SignUpPage"),
});

const resetPasswordRoute = createRoute({
  getParentRoute,
  path: "reset-password",
  validateSearch: searchOf({ token: text, error: text, next: text }),
  component: lazyRouteComponent(() => import("./reset-password-page.tsx"), "ResetPasswordPage"),
});

const verifyRoute = createRoute({
  getParentRoute,
  path: "verify",
  validateSearch: searchOf({ error: text, next: text }),
  component: lazyRouteComponent(() => import("./verify-page.tsx"), "VerifyPage"),
});

const acceptInviteRoute = createRoute({
  getParentRoute,
  path: "accept-invite",
  validateSearch: searchOf({ token: text }),
  component: lazyRouteComponent(() => import("./accept-invite-page.tsx"), "AcceptInvitePage"),
});

const accountRoute = createRoute({
  getParentRoute,
  path: "account",
  component: lazyRouteComponent(() => import("./account-page.tsx"), "AccountPage"),
});

const membersRoute = createRoute({
  getParentRoute,
  path: "org/$organizationId/members",
  component: lazyRouteComponent(() => import("./members-page.tsx"), "MembersPage"),
});

const logRoute = createRoute({
  getParentRoute,
  path: "org/$organizationId/log",
  validateSearch: searchOf({ action: text, actor: text }),
  component: lazyRouteComponent(() => import("./log-page.tsx"), "LogPage"),
});

/** Sign-in, accounts and organizations: outside of every project, and only where there are accounts. */
export const accountsRoutes = [
  signInRoute,
  signUpRoute,
  resetPasswordRoute,
  verifyRoute,
  acceptInviteRoute,
  accountRoute,
  membersRoute,
  logRoute,
] as const;
