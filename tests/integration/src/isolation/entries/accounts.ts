import { make } from "../make-things.ts";
import type { RouteEntries, RouteEntry } from "../route-entry.ts";
import { compared, ownProject, plain } from "./parts.ts";

/** The mode of these tests has no accounts. */
const absent: RouteEntry = { own: 404 };
const foreignProject: RouteEntry = {
  ids: async (tenant) => ({ projectId: await make.project(tenant) }),
  own: 404,
  neverLeaks: { projectId: compared },
};

/** Accounts and operations. */
export const accountsEntries: RouteEntries = {
  listJudgeModels: plain,
  readModelCatalogue: plain,
  getAuthConfig: plain,
  listProjects: plain,
  createProject: {
    ids: ownProject,
    request: ({ workspaceId }) => ({
      body: { name: "Made by the matrix", ...(workspaceId !== undefined && { workspaceId }) },
    }),
    own: 201,
    refused: 403,
    malformed: { workspaceId: 201 },
    neverLeaks: { workspaceId: compared },
  },
  renameProject: {
    ids: async ({ projectId }) => ({ projectId }),
    request: (_ids, { name }) => ({ body: { name } }),
    own: 200,
    neverLeaks: { projectId: compared },
  },
  // The tenants and their keys must survive: these requests use a project with another key.
  deleteProject: foreignProject,
  rotateProjectKey: foreignProject,
  signUp: absent,
  signIn: absent,
  signInSocial: absent,
  signInOidc: absent,
  finishProviderSignIn: absent,
  signOut: absent,
  getSession: absent,
  requestPasswordReset: absent,
  openPasswordReset: absent,
  resetPassword: absent,
  sendVerificationEmail: absent,
  verifyEmail: absent,
  changePassword: absent,
  readAccount: absent,
  renameAccount: absent,
  deleteAccount: absent,
  listAccountSessions: absent,
  endAccountSession: absent,
  listOrganizations: absent,
  renameOrganization: absent,
  deleteOrganization: absent,
  listMembers: absent,
  changeMemberRole: absent,
  removeMember: absent,
  createInvitation: absent,
  listInvitations: absent,
  revokeInvitation: absent,
  readInvitation: absent,
  acceptInvitation: absent,
  listAuditEvents: absent,
  getHealth: plain,
  getLiveness: plain,
  getReadiness: plain,
  getMetrics: plain,
  // No admin token is set.
  getAdminOverview: { own: 404 },
  getAdminSystem: { own: 404 },
  listAllAuditEvents: { own: 404 },
  getOpenApi: plain,
};
