import type { Database } from "@touchstone/db";
import type { ModelPrice } from "./model-price.ts";
import type { PriceChange } from "./price-catalogue.ts";

interface PriceRecord {
  model: string;
  provider: ModelPrice["provider"];
  label: string;
  input_price: number;
  output_price: number;
  cache_read_price: number | null;
  cache_write_price: number | null;
  is_removed: boolean;
}

/** What projects changed in the price catalogue, and the models they used. */
export interface PriceStore {
  listChanges(projectId: string): Promise<PriceChange[]>;
  /** Writes a change over the one there is. With `isNew` only over a removal or nothing: else false. */
  write(projectId: string, change: PriceChange, options: { isNew: boolean }): Promise<boolean>;
  /** Takes a change back. */
  remove(projectId: string, model: string): Promise<void>;
  /** The models of spans that report tokens, by name; at most `limit`. */
  listUsedModels(projectId: string, limit: number): Promise<string[]>;
}

export function createPriceStore(database: Database): PriceStore {
  return {
    async listChanges(projectId) {
      const { rows } = await database.readScoped<PriceRecord>([projectId], {
        name: "prices_list",
        text: `
          select model, provider, label, input_price, output_price, cache_read_price, cache_write_price, is_removed
          from ingest.model_prices
          where project_id = $1`,
        values: [projectId],
      });
      return rows.map((row) => ({
        model: row.model,
        provider: row.provider,
        label: row.label,
        input: row.input_price,
        output: row.output_price,
        cacheRead: row.cache_read_price,
        cacheWrite: row.cache_write_price,
        isRemoved: row.is_removed,
      }));
    },

    async write(projectId, change, { isNew }) {
      const { rowCount } = await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "price_write",
          text: `
            insert into ingest.model_prices as price (
              project_id, model, provider, label, input_price, output_price, cache_read_price, cache_write_price, is_removed
            )
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            on conflict (project_id, model) do update
            set provider = excluded.provider, label = excluded.label, input_price = excluded.input_price,
              output_price = excluded.output_price, cache_read_price = excluded.cache_read_price,
              cache_write_price = excluded.cache_write_price, is_removed = excluded.is_removed
            where price.is_removed or not $10`,
          values: [
            projectId,
            change.model,
            change.provider,
            change.label,
            change.input,
            change.output,
            change.cacheRead,
            change.cacheWrite,
            change.isRemoved,
            isNew,
          ],
        }),
      );
      return (rowCount ?? 0) > 0;
    },

    async remove(projectId, model) {
      await database.scoped([projectId], (transaction) =>
        transaction.query({
          name: "price_remove",
          text: "delete from ingest.model_prices where project_id = $1 and model = $2",
          values: [projectId, model],
        }),
      );
    },

    async listUsedModels(projectId, limit) {
      const { rows } = await database.readScoped<{ model: string }>([projectId], {
        // From one model to the next greater one: a project has few models and many spans.
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
            where project_id = $1 and spans.model = models.model and own_tokens is not null
          )
          order by model`,
        values: [projectId, limit],
      });
      return rows.map(({ model }) => model);
    },
  };
}
