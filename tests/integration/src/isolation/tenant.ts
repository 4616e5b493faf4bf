import { randomBytes } from "node:crypto";
import { projectReply } from "@touchstone/contracts";
import { type ApiClient, createClient } from "../client.ts";
import type { CombinedSystem } from "../start-combined.ts";

/** One project, and the word in every text it sends. */
export interface Tenant {
  name: string;
  projectId: string;
  apiKey: string;
  /** Hexadecimal, so that escaping, stemming and case changes do not hide it. */
  canary: string;
  /** Unique. */
  retentionDays: number;
  client: ApiClient;
}

/** Marks a tenant's texts as canaries; the LLM's script repeats every canary it reads. */
const canaryPattern = /canary[0-9a-f]{16}/gi;

export async function createTenant(system: Pick<CombinedSystem, "url" | "apiKey">, name: string): Promise<Tenant> {
  const { project } = await createClient(system).expect({ status: 201, schema: projectReply }, "POST", "/projects", {
    name,
  });
  return {
    name,
    projectId: project._id,
    apiKey: project.apiKey,
    canary: `canary${randomBytes(8).toString("hex")}`,
    retentionDays: 1_000 + (randomBytes(2).readUInt16BE() % 30_000),
    client: createClient({ url: system.url, apiKey: project.apiKey }),
  };
}

/** A former key of a project, replaced by a rotation. */
export async function createRevokedKey(system: CombinedSystem): Promise<string> {
  const tenant = await createTenant(system, "Rotated");
  const rotated = await tenant.client.send("POST", `/projects/${tenant.projectId}/rotate-key`);
  if (rotated.status !== 200) throw new Error(`The rotation was answered ${rotated.status}.`);
  return tenant.apiKey;
}

/** The canaries in a text, each once, in lower case. */
export function findCanaries(text: string): string[] {
  return [...new Set(text.match(canaryPattern)?.map((canary) => canary.toLowerCase()))];
}

/** The canaries in a text that belong to other tenants. */
export function strangersIn(tenant: Tenant, text: string): string[] {
  return findCanaries(text).filter((canary) => canary !== tenant.canary);
}
