import { z } from "zod";
import { givenName } from "./texts.ts";

/** The body of a refusal of the sign-in family (completions 12.3); the code is a name such as `INVALID_ORIGIN`. */
export const accountErrorBody = z.object({ message: z.string(), code: z.string() });

const user = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  image: z.string().nullable(),
  emailVerified: z.boolean(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const session = z.object({
  id: z.string(),
  userId: z.string(),
  expiresAt: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  token: z.string(),
  activeOrganizationId: z.string().nullable(),
});

export const signUpBody = z.object({
  name: givenName,
  email: z.string(),
  password: z.string(),
  callbackURL: z.string().optional(),
});
/** The token is null when the address has to be verified first. */
export const signUpReply = z.object({ token: z.string().nullable(), user });

export const signInBody = z.object({
  email: z.string(),
  password: z.string(),
  rememberMe: z.boolean().optional(),
  callbackURL: z.string().optional(),
});
export const signInReply = z.object({
  redirect: z.boolean(),
  token: z.string(),
  url: z.string().optional(),
  user,
});

/** The next page of the browser: the provider's. */
export const providerSignInReply = z.object({ url: z.string(), redirect: z.literal(true) });
export const socialSignInBody = z.object({ provider: z.string(), callbackURL: z.string().optional() });
export const oidcSignInBody = z.object({ providerId: z.string(), callbackURL: z.string().optional() });
export const providerCallbackParams = z.object({ provider: z.string() });
/** Additional parameters from providers are ignored. */
export const providerCallbackQuery = z.object({
  code: z.string().optional(),
  state: z.string().optional(),
  iss: z.string().optional(),
  error: z.string().optional(),
  error_description: z.string().optional(),
});

export const signOutReply = z.object({ success: z.boolean() });
export const sessionReply = z.object({ session, user }).nullable();

export const passwordResetRequest = z.object({ email: z.string(), redirectTo: z.string().optional() });
export const passwordResetRequestReply = z.object({ status: z.boolean(), message: z.string() });
export const passwordReset = z.object({ newPassword: z.string(), token: z.string().optional() });
export const statusReply = z.object({ status: z.boolean() });
export const passwordResetParams = z.object({ token: z.string() });
export const callbackQuery = z.object({ callbackURL: z.string().optional() });

export const verificationRequest = z.object({ email: z.string(), callbackURL: z.string().optional() });
export const verificationQuery = z.object({ token: z.string().optional(), callbackURL: z.string().optional() });
export const verificationReply = z.object({ status: z.boolean(), user: user.nullable() });

export const passwordChange = z.object({
  currentPassword: z.string(),
  newPassword: z.string(),
  revokeOtherSessions: z.boolean().optional(),
});
/** The token is of a new session when the others were revoked; null otherwise. */
export const passwordChangeReply = z.object({ token: z.string().nullable(), user });
