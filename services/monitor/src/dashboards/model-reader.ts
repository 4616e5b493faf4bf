import type { Database } from "@touchstone/db";
import type { Span } from "./traffic-reader.ts";
import { firstIdOf } from "./watched-runs-reader.ts";

/** The results of the traces that name a model. */
export interface ModelTraffic {
  /** Null: they name none. */
  model: string | null;
  traces: number;
  errors: number;
  /** Milliseconds; null where no trace has one. */
  latencyP50: number | null;
  latencyP95: number | null;
  /** Null without a rating. */
  meanRating: number | null;
  ratings: number;
}

/** Compares the models of a project's watched traffic (completions 9.5). */
export interface ModelReader {
  /** At most fifty, those with most traces first. */
  compare(projectId: string, span: Span): Promise<ModelTraffic[]>;
}

const modelsMax = 50;

interface ModelRow {
  model: string | null;
  traces: number;
  errors: number;
  latencies: (number | null)[] | null;
  mean_rating: number | null;
  ratings: number;
}

export function createModelReader(database: Database): ModelReader {
  return {
    async compare(projectId, { since, until }) {
      const { rows } = await database.readScoped<ModelRow>([projectId], {
        name: "traffic_models",
        // Verdicts are read as one range of their index: a trace's id begins with its creation time in milliseconds.
        text: `
          with runs as materialized (
            select trace_id, model, latency_ms, has_error
            from monitor.seen_traces
            where project_id = $1
              and created_at >= $2
              and created_at < $3
              and operational_class is not null
          ),
          rated as (
            select runs.model, avg(rating) as mean_rating, count(*)::integer as ratings
            from monitor.verdicts
            join runs using (trace_id)
            where project_id = $1
              and trace_id >= $4
              and not is_group
              and not starts_with(scorer_key, 'external:')
            group by runs.model
          ),
          models as (
            select model, count(*)::integer as traces, count(*) filter (where has_error)::integer as errors,
                   percentile_disc(array[0.5, 0.95]) within group (order by latency_ms) as latencies
            from runs
            group by model
          )
          select models.*, mean_rating, coalesce(ratings, 0) as ratings
          from models
          left join rated on rated.model is not distinct from models.model
          order by traces desc, models.model nulls last
          limit $5`,
        values: [projectId, since, until, firstIdOf(since), modelsMax],
      });
      return rows.map(({ model, traces, errors, latencies, mean_rating, ratings }) => {
        const [latencyP50 = null, latencyP95 = null] = latencies ?? [];
        return { model, traces, errors, latencyP50, latencyP95, meanRating: mean_rating, ratings };
      });
    },
  };
}
