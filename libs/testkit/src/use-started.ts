import { afterAll, beforeAll } from "vitest";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

/**
 * What `start` returns, for the tests and the later hooks of the file or block that calls this: started before them and ended
 * after them, in the reverse order of the calls. It is empty until then, and must be a plain object, because it is copied.
 */
export function useStarted<Thing extends object>(
  start: () => Promise<Thing>,
  end: (thing: Thing) => Promise<unknown>,
): Thing {
  const thing = {} as Thing;
  let isStarted = false;
  beforeAll(async () => {
    Object.assign(thing, await start());
    isStarted = true;
  });
  afterAll(async () => {
    if (isStarted) await end(thing);
  });
  return thing;
}

/** An empty database for the tests of the file or block that calls this. */
export function useTestDatabase(): TestDatabase {
  return useStarted(createTestDatabase, (database) => database.drop());
}
