import { z } from "zod";
import { auditQuery } from "./organizations.ts";
import { givenName } from "./texts.ts";

/** The account of the signed-in user. */
const account = z.object({
  _id: z.string(),
  name: z.string(),
  email: z.string(),
  emailVerified: z.boolean(),
  hasPassword: z.boolean().describe("False: it is signed in to by a provider only"),
});
export const accountReply = z.object({ account });
export const renamedAccount = z.object({ name: givenName });

export const accountSessionParams = z.object({ sessionId: z.string() });
export const accountSessionList = z.object({
  sessions: z
    .array(
      z.object({
        _id: z.string().describe("As `session.id` of GET /auth/get-session"),
        userAgent: z.string().nullable(),
        ipAddress: z.string().nullable(),
        createdAt: z.string(),
        renewedAt: z.string().describe("When it was last used, to the day"),
        expiresAt: z.string(),
      }),
    )
    .describe("Those that are not over, the newest first; at most 100"),
});

export const accountDeletion = z.object({
  confirmEmail: z.string().describe("The account's address."),
  password: z.string().optional().describe("Required of an account that has one."),
});

/** Filters of an organization's log; both narrow it. */
export const organizationAuditQuery = auditQuery.extend({
  action: z.string().optional().describe("An action such as `member.removed`, or all of a kind: `member`"),
  actorId: z.string().optional().describe("Who acted: the id of a user, or of the project whose key it was"),
});
