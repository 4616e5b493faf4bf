import type { modelPricesChanged, PriceChange } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";
import { borrowedModelFlag } from "../model/span-row.ts";

/** A project and the owner of its prices: its organization, or the project itself if it has none. */
export interface PricedProject {
  projectId: string;
  organizationId: string | null;
}

/** Changes of the built-in prices, and the models that projects used. */
export interface PriceStore {
  listChanges(project: PricedProject): Promise<PriceChange[]>;
  /** The models that spans with tokens name, by name; at most `limit`. */
  listUsedModels(projectId: string, limit: number): Promise<string[]>;
}

/** Stores the price lists that auth publishes. */
export interface PriceListKeeper {
  /** Stores a list unless a newer one of its owner is stored or the owner was deleted. */
  keep(list: z.output<typeof modelPricesChanged.body>): Promise<void>;
}

export function createPriceListKeeper(maintenance: Database): PriceListKeeper {
  return {
    async keep({ ownerId, revision, changes }) {
      await maintenance.query({
        name: "price_list_keep",
        text: `
          insert into ingest.price_lists as known (owner_id, revision, changes)
          select $1::uuid, $2::bigint, $3::json
          where not exists (select from ingest.deleted_projects where project_id = $1)
          on conflict (owner_id) do update
          set revision = excluded.revision, changes = excluded.changes
          where known.revision < excluded.revision`,
        values: [ownerId, revision, JSON.stringify(changes)],
      });
    },
  };
}

export function createPriceStore(database: Database): PriceStore {
  return {
    async listChanges({ projectId, organizationId }) {
      const ownerId = organizationId ?? projectId;
      const { rows } = await database.readScoped<{ changes: PriceChange[] }>([...new Set([projectId, ownerId])], {
        name: "price_list_read",
        text: `
          select changes
          from ingest.price_lists
          where owner_id = $1`,
        values: [ownerId],
      });
      return rows[0]?.changes ?? [];
    },

    async listUsedModels(projectId, limit) {
      const { rows } = await database.readScoped<{ model: string }>([projectId], {
        // Skips from one model to the next greater one: a project has few models and many spans.
        name: "models_used",
        text: `
          with recursive seen as (
            (select model from ingest.spans where project_id = $1 and model is not null order by model limit 1)
            union all
            select (
              select spans.model
              from ingest.spans
              where project_id = $1 and spans.model > seen.model
              order by spans.model
              limit 1
            )
            from seen
            where seen.model is not null
          )
          select model
          from (select model from seen where model is not null limit $2) models
          where exists (
            select from ingest.spans
            where project_id = $1 and spans.model = models.model and flags & ${borrowedModelFlag} = 0
              and (own_tokens is not null or net_tokens is not null)
          )
          order by model`,
        values: [projectId, limit],
      });
      return rows.map(({ model }) => model);
    },
  };
}
