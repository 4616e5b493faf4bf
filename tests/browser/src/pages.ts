import type { DemoProject } from "./demo-project.ts";

/** Addresses by the name of the page, under the path of the route that they open. */
export type Pages = Record<string, Record<string, string>>;

/** Every page of a project. A page for one object shows one of the sample project; tabs that are not named are clicked. */
export const projectPages = (sample: DemoProject) =>
  ({
    "/p/$projectId": { overview: "/" },
    "/p/$projectId/traces": { traces: "/traces" },
    "/p/$projectId/votes": { votes: "/votes" },
    "/p/$projectId/traces/$traceId": { trace: `/traces/${sample.traceId}` },
    "/p/$projectId/sessions": { sessions: "/sessions" },
    "/p/$projectId/sessions/$sessionId": { session: `/sessions/${encodeURIComponent(sample.sessionId)}` },
    "/p/$projectId/inbox": { inbox: "/inbox" },
    "/p/$projectId/datasets": { datasets: "/datasets" },
    "/p/$projectId/datasets/$datasetId": { dataset: `/datasets/${sample.datasetId}` },
    "/p/$projectId/runs": { runs: "/runs" },
    "/p/$projectId/runs/compare": {
      compare: `/runs/compare?baseline=${sample.runIds[0]}&candidate=${sample.runIds[1]}`,
    },
    "/p/$projectId/runs/$runId": { run: `/runs/${sample.runIds[1]}` },
    "/p/$projectId/gates": { gates: "/gates" },
    "/p/$projectId/gates/ci/$ciRunId": { "ci-run": `/gates/ci/${sample.ciRunId}` },
    "/p/$projectId/judges": { judges: "/judges" },
    "/p/$projectId/judges/new": { "judge-new": "/judges/new", "judge-copy": `/judges/new?from=${sample.judgeId}` },
    "/p/$projectId/judges/$judgeId": { judge: `/judges/${sample.judgeId}` },
    "/p/$projectId/judges/$judgeId/edit": { "judge-edit": `/judges/${sample.judgeId}/edit` },
    "/p/$projectId/judges/$judgeId/agreement": { agreement: `/judges/${sample.judgeId}/agreement` },
    "/p/$projectId/prompts": { prompts: "/prompts" },
    "/p/$projectId/prompts/$promptId": {
      prompt: `/prompts/${sample.promptId}`,
      "prompt-changes": `/prompts/${sample.promptId}?changes=true`,
    },
    "/p/$projectId/agents": { agents: "/agents" },
    "/p/$projectId/agents/$agentId": { agent: `/agents/${sample.agentId}` },
    "/p/$projectId/settings": { settings: "/settings" },
    "/p/$projectId/settings/$tab": { about: "/settings/about" },
  }) satisfies Pages;

/** Every page for a user without a session. */
export const entryPages = {
  "/sign-in": { "sign-in": "/sign-in", "sign-in-refused": "/sign-in?error=access_denied" },
  "/sign-up": { "sign-up": "/sign-up" },
  "/reset-password": {
    "reset-password": "/reset-password",
    "reset-password-chosen": "/reset-password?token=from-a-mail",
    "reset-password-expired": "/reset-password?error=INVALID_TOKEN",
  },
  "/verify": { verified: "/verify", "verify-expired": "/verify?error=token_expired" },
  "/accept-invite": { invitation: "/accept-invite?token=from-a-mail" },
} satisfies Pages;

/** Every page of a signed-in user outside of the projects. */
export const accountPages = (ids: { organizationId: string; invitationId: string }) =>
  ({
    "/accept-invite": { "invitation-of-another": `/accept-invite?token=${ids.invitationId}` },
    "/account": { account: "/account" },
    "/org/$organizationId/members": { members: `/org/${ids.organizationId}/members` },
    "/org/$organizationId/log": { log: `/org/${ids.organizationId}/log` },
  }) satisfies Pages;

/** The path of every route whose page a test inspects, sorted. */
export function listInspectedRoutes(sample: DemoProject): string[] {
  const account = accountPages({ organizationId: "", invitationId: "" });
  const paths = [projectPages(sample), entryPages, account].flatMap((pages) => Object.keys(pages));
  // The path without a page leads to the first project.
  return [...new Set(["/", ...paths])].sort();
}

/** The name and the address of each page. */
export const listPages = (pages: Pages): [name: string, address: string][] =>
  Object.values(pages).flatMap((addresses) => Object.entries(addresses));
