import { sharedMedia } from "../bodies.ts";
import { make } from "../make-things.ts";
import type { RouteEntry } from "../route-entry.ts";
import type { Tenant } from "../tenant.ts";

// Why a place never leaks.
export const compared = "it is compared with the key's project, not looked up";
export const byOwner = "auth finds it by its owner, which neither layer decides";
export const references = "a foreign key holds a run to a dataset of its own project";
export const unchecked = "it is kept as it was sent, and refers to nothing until it is looked up";
export const position = "it is a position in time, and the filter beside it is one's own";

// Ids of objects created for the tenants.
export const ownProject = async ({ projectId }: Tenant) => ({ workspaceId: projectId });
export const trace = async (tenant: Tenant) => ({ traceId: await make.trace(tenant) });
export const dataset = async (tenant: Tenant) => ({ datasetId: await make.dataset(tenant) });
export const media = async (tenant: Tenant) => ({ mediaId: await make.media(tenant) });
/** Of a tenant that has stored the shared media. */
export const traceBesideMedia = async (tenant: Tenant) => {
  await make.media(tenant, sharedMedia);
  return trace(tenant);
};
export const settings = async (tenant: Tenant) => ({ evaluationSettingsId: await make.settings(tenant) });

/** Headers of JSON lines. */
export const lines = { "content-type": "application/x-ndjson" };

/** Takes no id and shows the project's contents. */
export const list: RouteEntry = { own: 200, shows: true };
/** Takes no id and shows none of the project's texts. */
export const plain: RouteEntry = { own: 200 };
