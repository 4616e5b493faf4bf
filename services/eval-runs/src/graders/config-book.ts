import { limits } from "@touchstone/contracts";
import type { Queryable } from "@touchstone/db";
import {
  type Act,
  AppError,
  type Clock,
  type JsonMember,
  memberValue,
  namesOfChanged,
  uuidv7,
} from "@touchstone/service-kit";
import { recordAuditEvent } from "../outbox.ts";
import { changedMembers, composeConfigDocument } from "./config-document.ts";
import { requireBuiltInKept, requireDeletable, requireLiveJudgeable } from "./config-rules.ts";
import {
  clearDefaultConfig,
  countConfigs,
  deleteConfig,
  findConfig,
  insertConfig,
  insertConfigVersion,
  type StoredConfig,
  updateConfig,
} from "./config-store.ts";
import { listLiveGroups } from "./group-store.ts";
import type { LockGraders } from "./lock-graders.ts";
import { mergeOnlineProfile, type OnlineProfile } from "./online-profile.ts";

/** A change of a grading config, in either form of the API. */
export interface ConfigChange {
  /** Members of the document, as texts; null removes one. */
  members: readonly JsonMember[];
  /** Undefined = not sent. */
  isDefault: boolean | undefined;
  /** The live profile as it was sent: null detaches, undefined = not sent. */
  online: unknown;
  /** The config must not judge live traffic yet. */
  attaches?: true;
  /** The live profile that is changed: another one, or none, is not touched. */
  profileId?: string;
}

/** Changes of grading configs under their rules (completions 4.1, 4.2). Every change is recorded in the audit log. */
export interface ConfigBook {
  create(projectId: string, change: ConfigChange, act: Act): Promise<StoredConfig>;
  /** Changes only the members that were sent. Null when there is no such config or live profile. */
  update(projectId: string, id: string, change: ConfigChange, act: Act): Promise<StoredConfig | null>;
  /** False when there is no such config. Without `withProfile`, a config that judges live traffic is refused. */
  delete(projectId: string, id: string, options: { withProfile: boolean; act: Act }): Promise<boolean>;
}

export function createConfigBook({ lockGraders, clock }: { lockGraders: LockGraders; clock: Clock }): ConfigBook {
  const createId = (): string => uuidv7(clock.now());

  return {
    create: (projectId, { members, isDefault = false, online }, act) =>
      lockGraders(projectId, async (transaction) => {
        const config: StoredConfig = {
          id: createId(),
          version: 1,
          document: composeConfigDocument(members, null, createId),
          isDefault,
          seedKey: null,
          online: mergeOnline(online, null),
          createdAt: new Date(clock.now()),
          versionCount: 1,
        };
        requireLiveJudgeable(config, []);
        if ((await countConfigs(transaction, projectId)) >= limits.gradersMax) {
          throw new AppError("bad_request", `A project has at most ${limits.gradersMax} grading configs`);
        }
        if (isDefault) await clearDefaultConfig(transaction, projectId);
        await insertConfig(transaction, projectId, config);
        await recordAuditEvent(transaction, act, {
          action: "grading-config.created",
          targetId: config.id,
          details: { name: nameOf(config), live: isLive(config) },
        });
        return config;
      }),

    update: (projectId, id, change, act) =>
      lockGraders(projectId, async (transaction) => {
        const stored = await findConfig(transaction, projectId, id);
        if (stored === null) return null;
        if (change.profileId !== undefined && stored.online?.profileId !== change.profileId) return null;
        if (change.attaches && stored.online !== null) {
          throw new AppError("conflict", "The evaluator config judges live traffic already");
        }
        const changed: StoredConfig = {
          ...stored,
          document: composeConfigDocument(change.members, stored.document, createId),
          isDefault: change.isDefault ?? stored.isDefault,
          online: mergeOnline(change.online, stored.online),
        };
        requireBuiltInKept(stored, changed);
        requireLiveJudgeable(changed, await listLiveGroups(transaction, projectId));
        const after = await store(transaction, projectId, stored, changed);
        await recordChange(transaction, act, stored, after);
        return after;
      }),

    delete: (projectId, id, { withProfile, act }) =>
      lockGraders(projectId, async (transaction) => {
        const stored = await findConfig(transaction, projectId, id);
        if (stored === null) return false;
        requireDeletable(stored, await listLiveGroups(transaction, projectId), { withProfile });
        await deleteConfig(transaction, projectId, id);
        const details = { name: nameOf(stored), live: isLive(stored) };
        await recordAuditEvent(transaction, act, { action: "grading-config.deleted", targetId: id, details });
        return true;
      }),
  };

  function mergeOnline(sent: unknown, stored: OnlineProfile | null): OnlineProfile | null {
    if (sent === undefined) return stored;
    return sent === null ? null : mergeOnlineProfile(sent, stored, createId);
  }

  /** A document that differs is a new version. */
  async function store(
    transaction: Queryable,
    projectId: string,
    before: StoredConfig,
    after: StoredConfig,
  ): Promise<StoredConfig> {
    const changed = changedMembers(before.document, after.document);
    const isNewVersion = changed.length > 0;
    const version = before.version + Number(isNewVersion);
    if (after.isDefault && !before.isDefault) await clearDefaultConfig(transaction, projectId);
    if (isNewVersion) {
      await insertConfigVersion(transaction, projectId, after.id, {
        version,
        document: after.document,
        changeSummary: `Changed ${changed.join(", ")}`,
        createdAt: new Date(clock.now()),
      });
    }
    await updateConfig(transaction, projectId, { ...after, version });
    return { ...after, version, versionCount: before.versionCount + Number(isNewVersion) };
  }
}

/** Records the changed members: of the document, the live profile, and the default config. */
async function recordChange(
  transaction: Queryable,
  act: Act,
  before: StoredConfig,
  after: StoredConfig,
): Promise<void> {
  const changed = [
    ...changedMembers(before.document, after.document),
    namesOfChanged(
      { isDefault: before.isDefault, online: before.online },
      { isDefault: after.isDefault, online: after.online },
    ),
  ].filter((names) => names !== "");
  if (changed.length === 0) return;
  const details = { name: nameOf(after), changed: changed.join(", "), live: isLive(after) };
  await recordAuditEvent(transaction, act, { action: "grading-config.changed", targetId: after.id, details });
}

const nameOf = ({ document }: Pick<StoredConfig, "document">): string => memberValue(document, "name") as string;

/** True if it judges live traffic: a paused profile does not. */
const isLive = ({ online }: Pick<StoredConfig, "online">): boolean => online?.enabled ?? false;
