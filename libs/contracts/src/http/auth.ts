import { z } from "zod";
import { submittedWorkspaceId } from "../workspace.ts";
import { givenName, givenNameSentences } from "./texts.ts";

/** `GET /auth/config` (interface: GET auth/config; completions 12.1): a key in default mode only. */
/** The version of the installation, such as `0.1.0`. */
const version = z.string();

export const authConfig = z.discriminatedUnion("mode", [
  z.object({ mode: z.literal("disabled"), version, needsSetup: z.boolean(), apiKey: z.string() }),
  z.object({
    mode: z.literal("enabled"),
    version,
    /** Until the first account exists. */
    needsSetup: z.boolean(),
    socialProviders: z.array(z.enum(["google", "github"])),
    emailEnabled: z.boolean(),
    verificationRequired: z.boolean(),
    oidc: z.object({ name: z.string() }).nullable(),
    multiTenant: z.boolean(),
    openSignup: z.boolean(),
  }),
]);

export const project = z.object({
  _id: z.string(),
  name: z.string(),
  apiKey: z.string(),
  isDefault: z.boolean(),
  /** Null without accounts, and for a project that no organization has claimed yet. */
  organizationId: z.string().nullable(),
  createdAt: z.string(),
});

export const projectList = z.object({ projects: z.array(project) });
export const projectReply = z.object({ project });
export const submittedProject = z.object({
  name: givenName,
  workspaceId: submittedWorkspaceId.optional(),
  /** With a session: the organization, one of the caller's; the first one otherwise. What is none of them is 403. */
  organizationId: z.unknown().meta({ type: "string" }).optional(),
});
export const submittedProjectSentences = {
  ...givenNameSentences,
  workspaceId: "workspaceId may be anything",
  organizationId: "organizationId may be anything",
} as const;
export const renamedProject = z.object({ name: givenName });
export const projectParams = z.object({ projectId: z.string() });
