import { exampleSeed } from "./example.ts";
import { ragSeeds } from "./rag.ts";
import { safetySeeds } from "./safety.ts";
import type { Seed } from "./seed.ts";
import { sessionBaselineSeed } from "./session-baseline.ts";

/** Everything a project is given, in the order its lists show it (completions 4.3). */
export const seeds: readonly Seed[] = [exampleSeed, ...ragSeeds, ...safetySeeds, sessionBaselineSeed];
