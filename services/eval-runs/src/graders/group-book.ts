import { isUuid, limits } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import { type Act, AppError, type Clock, namesOfChanged, uuidv7 } from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import { requiresExpected } from "./config-rules.ts";
import { findConfig } from "./config-store.ts";
import { composeGroupDocument, type GroupDocument, type StoredMember } from "./group-document.ts";
import { countGroups, deleteGroup, findGroup, type GroupStore, putGroup, type StoredGroup } from "./group-store.ts";
import type { LockGraders } from "./lock-graders.ts";
import type { MemberReader } from "./member-reader.ts";
import { type LiveProfile, mergeLiveProfile } from "./online-profile.ts";

type Sent = Readonly<Record<string, unknown>>;

/**
 * Changes of scorer groups under their rules (completions 4.4). New members that are patterns or custom scorers are looked up
 * in monitor: `service_unavailable` when it does not answer. Every change is recorded in the audit log.
 */
export interface GroupBook {
  create(projectId: string, sent: Sent, act: Act): Promise<StoredGroup>;
  /** Changes only the members that were sent. Null when there is no such group. */
  update(projectId: string, id: string, sent: Sent, act: Act): Promise<StoredGroup | null>;
  /** False when there is no such group. */
  delete(projectId: string, id: string, act: Act): Promise<boolean>;
}

export interface GroupBookDependencies {
  lockGraders: LockGraders;
  groups: Pick<GroupStore, "find">;
  members: MemberReader;
  clock: Clock;
}

export function createGroupBook({ lockGraders, groups, members, clock }: GroupBookDependencies): GroupBook {
  /**
   * The existing new members that are not judges. Called before the transaction, because it waits for another service.
   */
  async function findScorers(projectId: string, group: GroupDocument, stored: GroupDocument | null): Promise<KeySet> {
    const kept = keysOf(stored?.members ?? []);
    const added = distinct(group.members).filter((member) => !kept.has(keyOf(member)));
    return keysOf(await members.read(projectId, added));
  }

  return {
    async create(projectId, sent, act) {
      const document = composeGroupDocument(sent, null);
      const scorers = await findScorers(projectId, document, null);
      return lockGraders(projectId, async (transaction) => {
        const now = new Date(clock.now());
        const group = {
          ...document,
          id: uuidv7(clock.now()),
          online: mergeOnline(sent.online, null),
          createdAt: now,
          updatedAt: now,
        };
        await requireFitMembers(transaction, projectId, { group, stored: null, scorers });
        if ((await countGroups(transaction, projectId)) >= limits.gradersMax) {
          throw new AppError("bad_request", `A project has at most ${limits.gradersMax} scorer groups`);
        }
        await putGroup(transaction, projectId, group);
        const details = { name: group.name, live: isLive(group) };
        await recordAuditEvent(transaction, act, { action: "scorer-group.created", targetId: group.id, details });
        return group;
      });
    },

    async update(projectId, id, sent, act) {
      const before = await groups.find(projectId, id);
      if (before === null) return null;
      const scorers = await findScorers(projectId, composeGroupDocument(sent, before), before);
      return lockGraders(projectId, async (transaction) => {
        const stored = await findGroup(transaction, projectId, id);
        if (stored === null) return null;
        const { createdAt } = stored;
        const online = mergeOnline(sent.online, stored.online);
        const group = {
          ...composeGroupDocument(sent, stored),
          id,
          online,
          createdAt,
          updatedAt: new Date(clock.now()),
        };
        await requireFitMembers(transaction, projectId, { group, stored, scorers });
        await putGroup(transaction, projectId, group);
        const changed = namesOfChanged({ ...stored, updatedAt: null }, { ...group, updatedAt: null });
        if (changed !== "") {
          const details = { name: group.name, changed, live: isLive(group) };
          await recordAuditEvent(transaction, act, { action: "scorer-group.changed", targetId: id, details });
        }
        return group;
      });
    },

    delete: (projectId, id, act) =>
      lockGraders(projectId, async (transaction) => {
        const stored = await findGroup(transaction, projectId, id);
        if (stored === null) return false;
        const details = { name: stored.name, live: isLive(stored) };
        await recordAuditEvent(transaction, act, { action: "scorer-group.deleted", targetId: id, details });
        return deleteGroup(transaction, projectId, id);
      }),
  };
}

/** True if it judges live traffic: a paused profile does not. */
const isLive = ({ online }: Pick<StoredGroup, "online">): boolean => online?.enabled ?? false;

function mergeOnline(sent: unknown, stored: LiveProfile | null): LiveProfile | null {
  if (sent === undefined) return stored;
  return sent === null ? null : mergeLiveProfile(sent, stored);
}

/**
 * Every new member must exist, and no judge that requires an expected result may go live; all problems are reported at once. A
 * stored member is not looked up again: it may have been deleted since.
 */
async function requireFitMembers(
  transaction: Queryable,
  projectId: string,
  { group, stored, scorers }: { group: StoredGroup; stored: GroupDocument | null; scorers: KeySet },
): Promise<void> {
  const kept = keysOf(stored?.members ?? []);
  const problems: string[] = [];
  for (const member of distinct(group.members)) {
    const { kind, refId } = member;
    const judge = kind === "judge" && isUuid(refId) ? await findConfig(transaction, projectId, refId) : null;
    if (judge === null) {
      if (!kept.has(keyOf(member)) && !scorers.has(keyOf(member)))
        problems.push(`Unknown ${words[kind]} id "${refId}"`);
    } else if (group.online !== null && requiresExpected(judge.document)) {
      problems.push(`Judge scorer "${refId}" requires an expected result and cannot judge live traffic`);
    }
  }
  if (problems.length > 0) throw new AppError("bad_request", problems.join("; "));
}

const words: Record<StoredMember["kind"], string> = { judge: "judge scorer", pattern: "pattern", custom: "scorer" };

type KeySet = ReadonlySet<string>;
type Member = Pick<StoredMember, "kind" | "refId">;

const keyOf = ({ kind, refId }: Member): string => `${kind} ${refId}`;
const keysOf = (members: readonly Member[]): KeySet => new Set(members.map(keyOf));

function distinct(members: readonly StoredMember[]): StoredMember[] {
  return [...new Map(members.map((member) => [keyOf(member), member])).values()];
}
