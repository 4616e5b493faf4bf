import { limits } from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import { idBefore } from "../model/ids.ts";
import type { TokenUse } from "./metrics-store.ts";
import { isPriceable, pricingModel, tokenSums } from "./span-window-reader.ts";

/** The traces that began in a period and whose spans state a prompt, by the version that they state. */
export interface PromptVersionCount {
  /** Null: no version was stated. */
  version: string | null;
  traces: number;
  /** Of these, ended in an error. */
  errors: number;
  /** Of these, rated by a live judge. */
  rated: number;
  /** 0 to 10; null: none is rated. */
  averageRating: number | null;
}

/** Tokens of the spans that state a version, by model. */
export interface PromptTokenUse extends Omit<TokenUse, "start"> {
  version: string | null;
}

export interface PromptUseReader {
  /** The versions that were used last, at most `promptVersionsListedMax`. */
  read(query: {
    projectId: string;
    name: string;
    since: Date;
  }): Promise<{ versions: PromptVersionCount[]; tokens: PromptTokenUse[] }>;
}

/** By a wrong clock a span may seem to begin so long before its trace. */
const skewMs = 86_400_000;

export function createPromptUseReader(searching: Database): PromptUseReader {
  return {
    async read({ projectId, name, since }) {
      const from = idBefore(since.getTime());
      const earliest = idBefore(since.getTime() - skewMs);
      const counts: Statement = {
        name: "prompt_versions",
        text: countsText,
        values: [projectId, name, from, earliest],
      };
      const tokens: Statement = { name: "prompt_tokens", text: tokensText, values: [projectId, name, from] };
      const [counted, used] = await searching.readScoped<[PromptVersionCount, TokenRecord]>(
        [projectId],
        [counts, tokens],
      );
      return { versions: counted.rows, tokens: used.rows.map(toTokenUse) };
    },
  };
}

const countsText = `
  with used as materialized (
    select distinct prompt_version, trace_key
    from ingest.spans
    where project_id = $1 and prompt_name = $2 and id >= $4 and trace_key is not null
  ),
  roots as (
    select used.prompt_version, spans.id, spans.has_error
    from used
    join ingest.spans on spans.project_id = $1 and spans.trace_key = used.trace_key and spans.is_root and spans.id >= $3
  )
  select roots.prompt_version as version, count(*)::integer as traces,
         count(*) filter (where roots.has_error)::integer as errors,
         count(verdicts.rating)::integer as rated, avg(verdicts.rating) as "averageRating"
  from roots
  left join ingest.trace_verdicts verdicts
    on verdicts.project_id = $1 and verdicts.trace_id = roots.id and verdicts.judge_scores is not null
  group by 1
  order by max(roots.id::text) desc
  limit ${limits.promptVersionsListedMax}`;

const tokensText = `
  select prompt_version as version, ${pricingModel} as model, ${isPriceable} as is_priceable, ${tokenSums}
  from ingest.spans
  where project_id = $1 and prompt_name = $2 and id >= $3 and net_tokens is not null
  group by 1, 2, 3`;

type TokenRecord = {
  version: string | null;
  model: string | null;
  is_priceable: boolean;
  input: number | null;
  output: number | null;
  cache_read: number | null;
  cache_write: number | null;
  fresh: number | null;
};

const toTokenUse = (record: TokenRecord): PromptTokenUse => ({
  version: record.version,
  model: record.model,
  isPriceable: record.is_priceable,
  input: record.input ?? 0,
  output: record.output ?? 0,
  cacheRead: record.cache_read ?? 0,
  cacheWrite: record.cache_write ?? 0,
  fresh: record.fresh ?? 0,
});
