import { afterAll, beforeAll } from "vitest";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";

/**
 * The object that `start` resolves to, for the tests and the later hooks of the file or block that calls this: started before them
 * and ended after them, in the reverse order of the calls. Without `end` it ends with something else. It has no members before.
 */
export function useStarted<Thing extends object>(
  start: () => Promise<Thing>,
  end: (thing: Thing) => Promise<unknown> = async () => {},
): Thing {
  let started: Thing | null = null;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => {
    if (started !== null) await end(started);
  });
  const thing = (): Thing => started ?? ({} as Thing);
  // Not a copy: what a test sets in it must reach the object itself.
  return new Proxy({} as Thing, {
    get: (_target, name) => Reflect.get(thing(), name),
    set: (_target, name, value) => Reflect.set(thing(), name, value),
    ownKeys: () => Reflect.ownKeys(thing()),
    getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(thing(), name),
  });
}

/** An empty database for the tests of the file or block that calls this. */
export function useTestDatabase(): TestDatabase {
  return useStarted(createTestDatabase, (database) => database.drop());
}
