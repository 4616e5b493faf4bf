import { deadlines, internalRoutes } from "@touchstone/contracts";
import { type Clock, type InternalClient, uuidv7 } from "@touchstone/service-kit";
import { createKeyCache, type KeyCache } from "./key-cache.ts";
import { createSessionCache, type SessionCache } from "./session-cache.ts";

export interface CredentialCaches {
  keys: KeyCache;
  sessions: SessionCache;
}

/** What auth last answered about keys and sessions. */
export function createCredentialCaches(auth: InternalClient, clock: Clock): CredentialCaches {
  const lookUpOptions = () => ({ requestId: uuidv7(clock.now()), deadlineMs: deadlines.keyLookupMs });
  return {
    keys: createKeyCache({
      clock,
      lookUp: async (apiKey) => (await auth.call(internalRoutes.resolveKey, { apiKey }, lookUpOptions())).key,
    }),
    sessions: createSessionCache({
      clock,
      lookUp: async (cookie) => (await auth.call(internalRoutes.resolveSession, { cookie }, lookUpOptions())).session,
    }),
  };
}
