import type { Held } from "./held.ts";
import type { Doing, Done, Journal } from "./journal.ts";
import type { Page } from "./lists.ts";
import type { MediaCopier } from "./store-media.ts";
import { Refused, type Target } from "./target.ts";

/** Stores the rows of a page. Storing them again changes nothing. */
export type Store = (page: Page) => Promise<Done>;

export interface Stores {
  /** Null of an import from files, which have no contents. */
  media: MediaCopier | null;
  target: Target;
  journal: Journal;
}

/** The answer to what is stored; null if it was refused, which is noted. */
export async function orRefused(
  store: () => Promise<string>,
  { done, kind, id }: { done: Doing; kind: Held["kind"]; id: string },
): Promise<string | null> {
  try {
    return await store();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    done.refused.push({ kind, id, message: error.message });
    return null;
  }
}
