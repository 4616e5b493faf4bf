import { limits } from "@touchstone/contracts";
import type { Database, Queryable } from "@touchstone/db";
import { type Act, AppError, type Clock, namesOfChanged, uuidv7 } from "@touchstone/service-kit";
import { putFitting } from "../lists/choice-store.ts";
import { recordAuditEvent } from "../outbox.ts";
import type { StoredPattern } from "./matching/pattern.ts";
import type { PatternMatcher } from "./matching/pattern-matcher.ts";
import { composePatternDocument, requireRegexes } from "./pattern-document.ts";
import {
  deletePattern,
  findPatternIn,
  listKeysIn,
  lockPatterns,
  type PatternStore,
  putPattern,
} from "./pattern-store.ts";

type Sent = Readonly<Record<string, unknown>>;

/**
 * Changes of a project's own patterns under their rules (completions 9.3). Every change is recorded in the audit log.
 */
export interface PatternBook {
  create(projectId: string, sent: Sent, act: Act): Promise<StoredPattern>;
  /** Changes only the members that were sent. Null when there is no such pattern. */
  update(projectId: string, id: string, sent: Sent, act: Act): Promise<StoredPattern | null>;
  /** False when there is no such pattern. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
}

export function createPatternBook({
  database,
  patterns,
  matcher,
  clock,
}: {
  database: Database;
  patterns: Pick<PatternStore, "find">;
  matcher: Pick<PatternMatcher, "findRefusal">;
  clock: Clock;
}): PatternBook {
  return {
    async create(projectId, sent, act) {
      const document = composePatternDocument(sent, null);
      await requireRegexes(document, { matcher, projectId });
      return database.scoped([projectId], async (transaction) => {
        await lockPatterns(transaction, projectId);
        const keys = await listKeysIn(transaction, projectId);
        if (keys.length >= limits.patternsMax) {
          throw new AppError("bad_request", `A project has at most ${limits.patternsMax} patterns`);
        }
        const now = new Date(clock.now());
        const key = freeKey(keyOfName(document.name), new Set(keys));
        const pattern = { id: uuidv7(clock.now()), key, document, createdAt: now, updatedAt: now };
        await putWithin(transaction, projectId, pattern);
        const details = { name: document.name, enabled: document.enabled };
        await recordAuditEvent(transaction, act, { action: "pattern.created", targetId: pattern.id, details });
        return pattern;
      });
    },

    async update(projectId, id, sent, act) {
      const before = await patterns.find(projectId, id);
      if (before === null) return null;
      // Not in the transaction: it may wait for a thread.
      const stored = before.document;
      await requireRegexes(composePatternDocument(sent, stored), { matcher, projectId, stored });
      return database.scoped([projectId], async (transaction) => {
        await lockPatterns(transaction, projectId);
        const stored = await findPatternIn(transaction, projectId, id);
        if (stored === null) return null;
        const document = composePatternDocument(sent, stored.document);
        const pattern = { ...stored, document, updatedAt: new Date(clock.now()) };
        await putWithin(transaction, projectId, pattern);
        const changed = namesOfChanged(stored.document, document);
        if (changed !== "") {
          const details = { name: document.name, changed, enabled: document.enabled };
          await recordAuditEvent(transaction, act, { action: "pattern.changed", targetId: id, details });
        }
        return pattern;
      });
    },

    delete: (projectId, id, act) =>
      database.scoped([projectId], async (transaction) => {
        await lockPatterns(transaction, projectId);
        const stored = await findPatternIn(transaction, projectId, id);
        if (stored === null) return false;
        const details = { name: stored.document.name };
        await recordAuditEvent(transaction, act, { action: "pattern.deleted", targetId: id, details });
        return deletePattern(transaction, projectId, id);
      }),
  };
}

/** Stores a pattern unless it makes the enabled ones too large: all of them are read for each checked trace. */
function putWithin(transaction: Queryable, projectId: string, pattern: StoredPattern): Promise<void> {
  const { enabled: isEnabled } = pattern.document;
  return putFitting(transaction, { projectId, table: "patterns", isEnabled }, () =>
    putPattern(transaction, projectId, pattern),
  );
}

function freeKey(key: string, taken: ReadonlySet<string>): string {
  let free = key;
  for (let number = 2; taken.has(free); number += 1) free = `${key}-${number}`;
  return free;
}

const slugMaxChars = 60;

/** The key of a pattern from its name: its letters and digits, joined by dashes; `pattern` when it has none. */
export function keyOfName(name: string): string {
  const slug = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, slugMaxChars)
    .replace(/^-|-$/g, "");
  return `custom:${slug === "" ? "pattern" : slug}`;
}
