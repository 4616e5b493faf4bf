import { randomBytes } from "node:crypto";

/** A running system under test. */
export interface TestedSystem {
  url: string;
  apiKey: string;
  /** Null: none is known, and the operator's routes answer 404. */
  adminToken: string | null;
  stop(): Promise<void>;
}

/**
 * The system named by `TOUCHSTONE_URL` and `TOUCHSTONE_API_KEY` (and `TOUCHSTONE_ADMIN_TOKEN`), or one started for this
 * run. The suite fills it with random data, so use a disposable one.
 */
export async function openSystem(): Promise<TestedSystem> {
  const { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: apiKey, TOUCHSTONE_ADMIN_TOKEN: given = null } = process.env;
  if (url !== undefined && apiKey !== undefined) return { url, apiKey, adminToken: given, stop: async () => {} };
  const { startCombined } = await import("../../integration/src/start-combined.ts");
  const adminToken = randomBytes(32).toString("base64url");
  return { ...(await startCombined({ settings: { SERVICE_ADMIN_TOKEN: adminToken } })), adminToken };
}
