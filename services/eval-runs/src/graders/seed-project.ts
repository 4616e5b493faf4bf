import type { Queryable } from "@touchstone/db";
import { type Clock, membersOf, uuidv7 } from "@touchstone/service-kit";
import { composeConfigDocument } from "./config-document.ts";
import { insertConfig } from "./config-store.ts";
import type { LockGraders } from "./lock-graders.ts";
import { mergeOnlineProfile } from "./online-profile.ts";
import { noteSeed, readSeedKeys } from "./seed-store.ts";
import type { Seed } from "./seeds/seed.ts";
import { seeds } from "./seeds/seeds.ts";

/** Seeds a project once; content that was deleted since stays deleted (completions 4.3). */
export type SeedProject = (projectId: string) => Promise<void>;

/** Projects known to be seeded; evicting one costs a query. */
const knownMax = 10_000;

export function createProjectSeeder({ lockGraders, clock }: { lockGraders: LockGraders; clock: Clock }): SeedProject {
  const known = new Set<string>();

  return async (projectId) => {
    if (known.has(projectId)) return;
    await lockGraders(projectId, async (transaction) => {
      const given = await readSeedKeys(transaction, projectId);
      // Reversed, because lists show the newest first.
      for (const seed of seeds.toReversed()) {
        if (!given.has(seed.key)) await give(transaction, projectId, seed);
      }
    });
    if (known.size >= knownMax) known.clear();
    known.add(projectId);
  };

  async function give(transaction: Queryable, projectId: string, { key, config, online }: Seed): Promise<void> {
    const now = clock.now();
    const createId = (): string => uuidv7(now);
    const profile = online && { ...mergeOnlineProfile(online, null, createId), builtinKey: online.builtinKey };
    await insertConfig(transaction, projectId, {
      id: createId(),
      document: composeConfigDocument(membersOf(JSON.stringify(config)), null, createId),
      isDefault: false,
      seedKey: key,
      online: profile ?? null,
      createdAt: new Date(now),
    });
    await noteSeed(transaction, projectId, key);
  }
}
