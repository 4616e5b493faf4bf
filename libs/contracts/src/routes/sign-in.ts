import type { z } from "zod";
import { globalErrorBody } from "../errors.ts";
import {
  accountErrorBody,
  callbackQuery,
  oidcSignInBody,
  passwordChange,
  passwordChangeReply,
  passwordReset,
  passwordResetParams,
  passwordResetRequest,
  passwordResetRequestReply,
  providerCallbackParams,
  providerCallbackQuery,
  providerSignInReply,
  sessionReply,
  signInBody,
  signInReply,
  signOutReply,
  signUpBody,
  signUpReply,
  socialSignInBody,
  statusReply,
  verificationQuery,
  verificationReply,
  verificationRequest,
} from "../http/accounts.ts";
import { deadlines, limits } from "../limits.ts";
import type { BodyContract, ResponseContract, Route } from "../route.ts";
import { prefix } from "./route-parts.ts";

const accountRoute = {
  owner: "auth",
  authentication: ["account"],
  rateGroup: "credential",
  envelope: "standard",
  deadlineMs: deadlines.gatewayHopMs,
  section: "completions 12.3",
} as const;

const small = (schema: z.ZodType, required = true): BodyContract => ({
  kind: "json",
  schema,
  maxBytes: limits.accountBodyMaxBytes,
  required,
});
const refusal = (description: string): ResponseContract => ({ description, schema: accountErrorBody });
const bodyRefusals = {
  400: refusal("The body is not JSON, or a field is missing or wrong."),
  413: { description: "The body is larger than 64 KiB.", schema: globalErrorBody },
  415: { description: "The content type, charset or encoding is not supported.", schema: globalErrorBody },
};

/**
 * Sign-up, sign-in and related routes, where accounts are enabled. The accounts library has more paths; only these are
 * open.
 */
export const signInRoutes = {
  signUp: {
    ...accountRoute,
    id: "signUp",
    method: "POST",
    path: `${prefix}/auth/sign-up/email`,
    body: small(signUpBody),
    responses: {
      200: { description: "The account, and its session unless the address must be verified.", schema: signUpReply },
      ...bodyRefusals,
      422: refusal("There is an account with this address."),
    },
    summary: "Make an account.",
  },
  signIn: {
    ...accountRoute,
    id: "signIn",
    method: "POST",
    path: `${prefix}/auth/sign-in/email`,
    body: small(signInBody),
    responses: { 200: { description: "A session, and its cookie.", schema: signInReply }, ...bodyRefusals },
    summary: "Sign in with an address and a password.",
  },
  signInSocial: {
    ...accountRoute,
    id: "signInSocial",
    method: "POST",
    path: `${prefix}/auth/sign-in/social`,
    body: small(socialSignInBody),
    responses: {
      200: { description: "Where the browser goes, and the cookie it comes back with.", schema: providerSignInReply },
      ...bodyRefusals,
      404: refusal("This installation does not have that provider."),
    },
    summary: "Sign in by Google or GitHub.",
  },
  signInOidc: {
    ...accountRoute,
    id: "signInOidc",
    method: "POST",
    path: `${prefix}/auth/sign-in/oauth2`,
    body: small(oidcSignInBody),
    responses: {
      200: { description: "Where the browser goes, and the cookie it comes back with.", schema: providerSignInReply },
      ...bodyRefusals,
      404: refusal("This installation does not have that provider."),
    },
    summary: "Sign in by the OpenID Connect provider of the installation.",
  },
  finishProviderSignIn: {
    ...accountRoute,
    id: "finishProviderSignIn",
    method: "GET",
    path: `${prefix}/auth/callback/{provider}`,
    params: providerCallbackParams,
    query: providerCallbackQuery,
    responses: {
      302: { description: "To the callback address, with a session or with `error`.", schema: null },
      400: bodyRefusals[400],
    },
    summary: "Where a provider sends the browser back to.",
  },
  signOut: {
    ...accountRoute,
    id: "signOut",
    method: "POST",
    path: `${prefix}/auth/sign-out`,
    body: small(signOutReply.partial(), false),
    responses: { 200: { description: "The session is over.", schema: signOutReply }, ...bodyRefusals },
    summary: "End the session.",
  },
  getSession: {
    ...accountRoute,
    id: "getSession",
    method: "GET",
    path: `${prefix}/auth/get-session`,
    responses: { 200: { description: "Who is signed in, or null.", schema: sessionReply } },
    summary: "The session of the cookie.",
  },
  requestPasswordReset: {
    ...accountRoute,
    id: "requestPasswordReset",
    method: "POST",
    path: `${prefix}/auth/request-password-reset`,
    body: small(passwordResetRequest),
    responses: {
      200: { description: "The same for known and unknown addresses.", schema: passwordResetRequestReply },
      ...bodyRefusals,
    },
    summary: "Mail a link to choose a new password.",
  },
  openPasswordReset: {
    ...accountRoute,
    id: "openPasswordReset",
    method: "GET",
    path: `${prefix}/auth/reset-password/{token}`,
    params: passwordResetParams,
    query: callbackQuery,
    responses: {
      302: { description: "To the callback, with the token or an error.", schema: null },
      400: bodyRefusals[400],
    },
    summary: "The link of the mail.",
  },
  resetPassword: {
    ...accountRoute,
    id: "resetPassword",
    method: "POST",
    path: `${prefix}/auth/reset-password`,
    body: small(passwordReset),
    responses: { 200: { description: "The password is changed.", schema: statusReply }, ...bodyRefusals },
    summary: "Choose a new password with the token of the mail.",
  },
  sendVerificationEmail: {
    ...accountRoute,
    id: "sendVerificationEmail",
    method: "POST",
    path: `${prefix}/auth/send-verification-email`,
    body: small(verificationRequest),
    responses: {
      200: { description: "The same for known and unknown addresses.", schema: statusReply },
      ...bodyRefusals,
    },
    summary: "Mail a link that verifies the address.",
  },
  verifyEmail: {
    ...accountRoute,
    id: "verifyEmail",
    method: "GET",
    path: `${prefix}/auth/verify-email`,
    query: verificationQuery,
    responses: {
      200: { description: "The address is verified.", schema: verificationReply },
      302: { description: "To the callback, where one was given.", schema: null },
      400: bodyRefusals[400],
    },
    summary: "The link of the mail.",
  },
  changePassword: {
    ...accountRoute,
    id: "changePassword",
    method: "POST",
    path: `${prefix}/auth/change-password`,
    body: small(passwordChange),
    responses: { 200: { description: "The password is changed.", schema: passwordChangeReply }, ...bodyRefusals },
    summary: "Change the password of who is signed in.",
  },
} as const satisfies Record<string, Route>;
