import type { Done } from "./done.ts";
import type { Journal } from "./journal.ts";
import type { Page } from "./lists.ts";
import type { MediaCopier } from "./store-media.ts";
import type { Target } from "./target.ts";

/** Stores the rows of a page. Storing them again changes nothing. */
export type Store = (page: Page) => Promise<Done>;

export interface Stores {
  /** Null of an import from files, which have no contents. */
  media: MediaCopier | null;
  target: Target;
  journal: Journal;
}
