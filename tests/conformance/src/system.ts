/** A running system under test. */
export interface TestedSystem {
  url: string;
  apiKey: string;
  stop(): Promise<void>;
}

/**
 * The system named by `TOUCHSTONE_URL` and `TOUCHSTONE_API_KEY`, or else one started for this run. The suite fills it
 * with nonsense, so the named one must be there for that.
 */
export async function openSystem(): Promise<TestedSystem> {
  const { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: apiKey } = process.env;
  if (url !== undefined && apiKey !== undefined) return { url, apiKey, stop: async () => {} };
  const { startSystem } = await import("../../integration/src/start-system.ts");
  return startSystem();
}
