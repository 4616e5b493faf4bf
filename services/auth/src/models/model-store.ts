import { modelPricesChanged, type PriceChange, type PriceList } from "@touchstone/contracts";
import type { Database, Queryable, Statement } from "@touchstone/db";
import type { KeyVault } from "../project-keys/key-vault.ts";
import { type ModelChange, type ModelOwner, ownerIdOf, priceOf } from "./model.ts";

/** The decision about one model: a change to store, or the id of a change to remove. */
export type ModelDecision = { put: ModelChange } | { remove: string };

export interface ModelStore {
  /** By id. */
  list(owner: ModelOwner): Promise<ModelChange[]>;
  /**
   * Decides based on the current changes and stores the decision with its event, and `also`, in one transaction.
   * Changes of one owner are serialized. Ingest has the prices when this resolves; if it cannot be reached, it gets
   * them with the event.
   */
  change(
    owner: ModelOwner,
    decide: (changes: readonly ModelChange[]) => ModelDecision,
    also: (transaction: Queryable) => Promise<void>,
  ): Promise<void>;
  /**
   * Moves the catalogues of projects to the organization that just took them; of two entries with one id, the older
   * project's is kept.
   */
  handOver(transaction: Queryable, organizationId: string): Promise<void>;
  /** Stores prices from their former store; existing entries with the same id are kept. */
  adopt(projectId: string, changes: readonly PriceChange[]): Promise<void>;
  /** Announces every catalogue again, for readers that lost one. */
  announceAll(): Promise<void>;
}

interface ModelRow {
  owner_id: string;
  model: string;
  provider: ModelChange["provider"];
  label: string;
  input_price: number;
  output_price: number;
  cache_read_price: number | null;
  cache_write_price: number | null;
  base_url: string | null;
  sealed_key: Buffer | null;
  is_removed: boolean;
}

const columns = `
  owner_id, model, provider, label, input_price, output_price, cache_read_price, cache_write_price, base_url, sealed_key,
  is_removed`;

/** Sends committed prices to ingest at once; never rejects. */
export type TellPrices = (list: PriceList) => Promise<void>;

/** Stores {@link ModelStore} in the schema `auth`, under the app role. */
export function createModelStore(
  database: Database,
  { providerKeys: sealing }: Pick<KeyVault, "providerKeys">,
  tell: TellPrices,
): ModelStore {
  const fromRow = (row: ModelRow): ModelChange => ({
    model: row.model,
    provider: row.provider,
    label: row.label,
    input: row.input_price,
    output: row.output_price,
    cacheRead: row.cache_read_price,
    cacheWrite: row.cache_write_price,
    baseUrl: row.base_url,
    apiKey: row.sealed_key === null ? null : sealing.open(boundTo(row.owner_id, row.model), row.sealed_key),
    isRemoved: row.is_removed,
  });

  async function listOf(queryable: Queryable, ownerId: string): Promise<ModelChange[]> {
    const { rows } = await queryable.query<ModelRow>(selectModels(ownerId));
    return rows.map(fromRow);
  }

  async function put(
    transaction: Queryable,
    owner: ModelOwner,
    change: ModelChange,
    { replaces }: { replaces: boolean },
  ): Promise<void> {
    const { model, apiKey } = change;
    const sealedKey = apiKey === null ? null : sealing.seal(boundTo(ownerIdOf(owner), model), apiKey);
    await transaction.query(putModel(owner, change, { sealedKey, replaces }));
  }

  async function announce(transaction: Queryable, ownerId: string): Promise<PriceList> {
    const { rows } = await transaction.query<{ revision: string }>(nextRevision);
    const changes = (await listOf(transaction, ownerId)).map(priceOf);
    const body = modelPricesChanged.body.parse({ ownerId, revision: Number(rows[0]?.revision), changes });
    await transaction.query(enqueuePrices(body));
    return body;
  }

  return {
    list: (owner) => listOf(database, ownerIdOf(owner)),

    async change(owner, decide, also) {
      const announced = await database.transaction(async (transaction) => {
        const ownerId = ownerIdOf(owner);
        await transaction.query(lockModels(ownerId));
        const decision = decide(await listOf(transaction, ownerId));
        if ("put" in decision) await put(transaction, owner, decision.put, { replaces: true });
        else await transaction.query(deleteModel(ownerId, decision.remove));
        await also(transaction);
        return announce(transaction, ownerId);
      });
      await tell(announced);
    },

    async handOver(transaction, organizationId) {
      const { rows } = await transaction.query<ModelRow>(selectModelsOfProjects(organizationId));
      if (rows.length === 0) return;
      await transaction.query(lockModels(organizationId));
      for (const row of rows) {
        const owner = { organizationId, projectId: row.owner_id };
        await put(transaction, owner, fromRow(row), { replaces: false });
      }
      await transaction.query(deleteModelsOf([...new Set(rows.map((row) => row.owner_id))]));
      await announce(transaction, organizationId);
    },

    adopt: (projectId, changes) =>
      database.transaction(async (transaction) => {
        const { rows } = await transaction.query<{ organization_id: string | null }>(lockProject(projectId));
        const [project] = rows;
        if (project === undefined) return;
        const owner = { organizationId: project.organization_id, projectId };
        await transaction.query(lockModels(ownerIdOf(owner)));
        for (const change of changes) {
          const connection = { baseUrl: null, apiKey: null };
          await put(transaction, owner, { ...change, ...connection }, { replaces: false });
        }
        await announce(transaction, ownerIdOf(owner));
      }),

    async announceAll() {
      const { rows } = await database.query<{ owner_id: string }>(selectOwners);
      for (const { owner_id } of rows) {
        await database.transaction(async (transaction) => {
          await transaction.query(lockModels(owner_id));
          await announce(transaction, owner_id);
        });
      }
    },
  };
}

/** Serializes changes of an owner's catalogue. */
const lockModels = (ownerId: string): Statement => ({
  name: "models_lock",
  text: "select pg_advisory_xact_lock(hashtextextended('touchstone models ' || $1, 0))",
  values: [ownerId],
});

const selectModels = (ownerId: string): Statement => ({
  name: "models_list",
  text: `
    select ${columns}
    from auth.models
    where owner_id = $1
    order by model`,
  values: [ownerId],
});

const putModel = (
  owner: ModelOwner,
  change: ModelChange,
  { sealedKey, replaces }: { sealedKey: Buffer | null; replaces: boolean },
): Statement => ({
  name: "model_put",
  text: `
    insert into auth.models as known (
      owner_id, organization_id, project_id, model, provider, label, input_price, output_price, cache_read_price,
      cache_write_price, base_url, sealed_key, is_removed
    )
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    on conflict (owner_id, model) do update
    set provider = excluded.provider, label = excluded.label, input_price = excluded.input_price,
      output_price = excluded.output_price, cache_read_price = excluded.cache_read_price,
      cache_write_price = excluded.cache_write_price, base_url = excluded.base_url, sealed_key = excluded.sealed_key,
      is_removed = excluded.is_removed
    where $14`,
  values: [
    ownerIdOf(owner),
    owner.organizationId,
    owner.organizationId === null ? owner.projectId : null,
    change.model,
    change.provider,
    change.label,
    change.input,
    change.output,
    change.cacheRead,
    change.cacheWrite,
    change.baseUrl,
    sealedKey,
    change.isRemoved,
    replaces,
  ],
});

const deleteModel = (ownerId: string, model: string): Statement => ({
  name: "model_remove",
  text: "delete from auth.models where owner_id = $1 and model = $2",
  values: [ownerId, model],
});

const nextRevision: Statement = {
  name: "models_next_revision",
  text: "select nextval('auth.model_revisions') as revision",
};

const enqueuePrices = (list: PriceList): Statement => ({
  name: "models_announce",
  text: `
    insert into auth.outbox (subject, body)
    values ($1, $2)`,
  values: [modelPricesChanged.subject, JSON.stringify(list)],
});

const selectModelsOfProjects = (organizationId: string): Statement => ({
  name: "models_take",
  text: `
    select ${columns}
    from auth.models
    where project_id in (select id from auth.projects where organization_id = $1)
    order by owner_id, model`,
  values: [organizationId],
});

const deleteModelsOf = (ownerIds: readonly string[]): Statement => ({
  name: "models_remove_taken",
  text: "delete from auth.models where owner_id = any($1::uuid[])",
  values: [ownerIds],
});

/** Locked, so that it is not claimed or deleted in the meantime. */
const lockProject = (projectId: string): Statement => ({
  name: "models_find_owner",
  text: "select organization_id from auth.projects where id = $1 and deleting_since is null for share",
  values: [projectId],
});

const selectOwners: Statement = {
  name: "models_owners",
  text: "select distinct owner_id from auth.models",
};

/** The owner and model that a sealed key is bound to: a row moved to another one cannot be opened. */
function boundTo(ownerId: string, model: string): string {
  return `model ${ownerId} ${model}`;
}
