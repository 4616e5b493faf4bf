import type { Stretch } from "@touchstone/contracts";
import type { Database, Results, Statement } from "@touchstone/db";
import { idBefore } from "../model/ids.ts";
import { buildRepeatRead } from "./repeated-usage-reader.ts";
import { inWindow, isPriceable, planning, pricingModel, startOf, tokenSums } from "./span-window-reader.ts";

/** The spans to aggregate: those that began in a period, of a project or one of its agents. */
export interface MetricsQuery {
  projectId: string;
  /** Null = all. */
  agentId: string | null;
  /** The length of one bucket, in UTC. */
  stretch: Stretch;
  since: Date;
  /** Exclusive. */
  until: Date;
}

/** Spans of one bucket by kind. */
export interface SpanCount {
  start: Date;
  kind: "llm" | "tool" | "retrieval" | "other";
  spans: number;
  roots: number;
  /** Roots with an error. */
  errors: number;
}

/** Tokens of one bucket by model; negative to subtract what a parent repeats of its children. */
export interface TokenUse {
  start: Date;
  /** Null: the span states no model, or it is beyond the listed ones. */
  model: string | null;
  /** Both counts are known (completions 11.2). */
  isPriceable: boolean;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Input that was neither read from nor written to a cache, span by span. */
  fresh: number;
}

/** Calls of one tool in a bucket; may be negative, like {@link TokenUse}. */
export interface ToolUse {
  start: Date;
  /** Null: it has no name, or is beyond the listed ones. */
  name: string | null;
  calls: number;
  failures: number;
}

export interface FrameworkCount {
  start: Date;
  /** Null: none was stated. */
  framework: string | null;
  isListed: boolean;
  roots: number;
}

/** Of root spans, in milliseconds. */
export interface Latency {
  /** Null = the whole period. */
  start: Date | null;
  p50: number | null;
  p95: number | null;
}

/** The aggregates of a window's spans, in no order. */
export interface UsageMetrics {
  counts: SpanCount[];
  frameworks: FrameworkCount[];
  tokens: TokenUse[];
  tools: ToolUse[];
  latencies: Latency[];
}

export const noUsageMetrics: UsageMetrics = { counts: [], frameworks: [], tokens: [], tools: [], latencies: [] };

/**
 * Aggregates spans from one narrow index, without reading their rows (decision 37). Only REST children are read: their
 * parents' values are not rolled up.
 */
export interface MetricsStore {
  read(query: MetricsQuery): Promise<UsageMetrics>;
  /** Only the tokens. */
  readTokens(query: MetricsQuery): Promise<TokenUse[]>;
}

/** Distinct names, by frequency. */
const namesMax = 50;
/** More models than other names: each has its own price. */
const modelsMax = 200;

export function createMetricsStore(searching: Database): MetricsStore {
  async function readWell<Rows extends readonly Record<string, unknown>[]>(
    { projectId }: MetricsQuery,
    statements: readonly Statement[],
  ): Promise<Results<Rows>> {
    const results = await searching.readScoped<[Record<string, unknown>, ...Rows]>(
      [projectId],
      [planning, ...statements],
    );
    return results.slice(1) as unknown as Results<Rows>;
  }

  return {
    async read(query) {
      const [totals, tools, latencies, repeats] = await readWell<
        [TotalRecord, ToolRecord, LatencyRecord, RepeatRecord]
      >(query, [
        build("figures_totals", totalsText, query),
        build("figures_tools", toolsText, query),
        build("figures_latencies", latenciesText, query),
        build("figures_repeats", buildRepeatRead, query),
      ]);
      return {
        counts: totals.rows.filter(({ part }) => part === "kind").map(toSpanCount),
        frameworks: totals.rows.filter(({ part }) => part === "framework").map(toFrameworkCount),
        tokens: tokensOf(totals.rows, repeats.rows),
        tools: [...tools.rows, ...listedAlike(repeats.rows.flatMap(toRepeatedTools), tools.rows)],
        latencies: latencies.rows.map(({ start, latencies: [p50 = null, p95 = null] }) => ({ start, p50, p95 })),
      };
    },

    async readTokens(query) {
      const [totals, repeats] = await readWell<[TotalRecord, RepeatRecord]>(query, [
        build("figures_totals", totalsText, query),
        build("figures_repeats", buildRepeatRead, query),
      ]);
      return tokensOf(totals.rows, repeats.rows);
    },
  };
}

function build(name: string, textOf: (spans: string) => string, query: MetricsQuery): Statement {
  const { projectId, agentId, stretch, since, until } = query;
  const values = [projectId, idBefore(since.getTime()), idBefore(until.getTime()), stretch];
  return {
    name: agentId === null ? name : `${name}_of_agent`,
    text: textOf(inWindow(agentId !== null)),
    values: agentId === null ? values : [...values, agentId],
  };
}

/** One pass over the index, then three views of its result. */
const totalsText = (spans: string): string => `
  with base as materialized (
    select ${startOf("created_at")} as start,
           case when kind in ('llm', 'tool', 'retrieval') then kind else 'other' end as kind,
           is_root,
           is_root and has_error as has_failed,
           case when is_root then framework end as framework,
           case when net_tokens is not null then ${pricingModel} end as model,
           ${isPriceable} as is_priceable,
           count(*)::integer as n,
           ${tokenSums}
    ${spans}
    group by 1, 2, 3, 4, 5, 6, 7
  ),
  models as (
    select model
    from base
    where model is not null
    group by model
    order by sum(coalesce(input, 0) + coalesce(output, 0)) desc, model
    limit ${modelsMax}
  ),
  frameworks as (
    select framework
    from base
    where framework is not null
    group by framework
    order by sum(n) desc, framework
    limit ${namesMax}
  )
  select 'kind' as part, start, kind as name, true as flag, sum(n)::integer as spans,
         coalesce(sum(n) filter (where is_root), 0)::integer as roots,
         coalesce(sum(n) filter (where has_failed), 0)::integer as errors,
         null::double precision as input, null::double precision as output, null::double precision as cache_read,
         null::double precision as cache_write, null::double precision as fresh
  from base
  group by start, kind
  union all
  select 'framework', start, listed.framework, base.framework is null or listed.framework is not null, 0,
         sum(n)::integer, 0, null, null, null, null, null
  from base
  left join frameworks as listed on listed.framework = base.framework
  where is_root
  group by 2, 3, 4
  union all
  select 'model', start, listed.model, is_priceable, 0, 0, 0, sum(input), sum(output), sum(cache_read),
         sum(cache_write), sum(fresh)
  from base
  left join models as listed on listed.model = base.model
  where input is not null or output is not null
  group by 2, 3, 4`;

const toolsText = (spans: string): string => `
  with tallied as materialized (
    select start, name, sum(n * calls)::integer as calls, sum(n * failures)::integer as failures
    from (
      select ${startOf("created_at")} as start, tools, count(*) as n
      ${spans}
        and tools is not null
      group by 1, 2
    ) as same,
    lateral (
      select split_part(line, ' ', 1)::integer as calls, split_part(line, ' ', 2)::integer as failures,
             substr(line, length(split_part(line, ' ', 1)) + length(split_part(line, ' ', 2)) + 3) as name
      from string_to_table(tools, e'\\n') as line
    ) as lines
    group by 1, 2
  ),
  listed as (
    select name
    from tallied
    where name <> ''
    group by name
    order by sum(calls) desc, name
    limit ${namesMax}
  )
  select start, listed.name, sum(calls)::integer as calls, sum(failures)::integer as failures
  from tallied
  left join listed on listed.name = tallied.name
  group by 1, 2`;

const latenciesText = (spans: string): string => `
  select ${startOf("created_at")} as start,
         percentile_disc(array[0.5, 0.95]) within group (order by latency_ms) as latencies
  ${spans}
    and is_root
    and latency_ms is not null
  group by grouping sets ((1), ())
  having count(*) > 0`;

type UseRecord = {
  start: Date;
  name: string | null;
  /** For a model, whether its tokens can be priced; for a framework, whether it is listed. */
  flag: boolean;
  input: number | null;
  output: number | null;
  cache_read: number | null;
  cache_write: number | null;
  fresh: number | null;
};
type TotalRecord = UseRecord & {
  part: "kind" | "framework" | "model";
  spans: number;
  roots: number;
  errors: number;
};
type ToolRecord = { start: Date; name: string | null; calls: number; failures: number };
type LatencyRecord = { start: Date | null; latencies: (number | null)[] };
/** For tools, `name` is a line of a tally, and `n` its frequency. */
type RepeatRecord = UseRecord & { part: "tokens" | "tool"; n: number };

function tokensOf(totals: readonly TotalRecord[], repeats: readonly RepeatRecord[]): TokenUse[] {
  return [
    ...totals.filter(({ part }) => part === "model").map(toTokenUse),
    ...repeats.filter(({ part }) => part === "tokens").map(toTokenUse),
  ];
}

const toSpanCount = ({ start, name, spans, roots, errors }: TotalRecord): SpanCount => ({
  start,
  kind: name as SpanCount["kind"],
  spans,
  roots,
  errors,
});

const toFrameworkCount = ({ start, name, flag, roots }: TotalRecord): FrameworkCount => ({
  start,
  framework: name,
  isListed: flag,
  roots,
});

const toTokenUse = (record: UseRecord): TokenUse => ({
  start: record.start,
  model: record.name,
  isPriceable: record.flag,
  input: record.input ?? 0,
  output: record.output ?? 0,
  cacheRead: record.cache_read ?? 0,
  cacheWrite: record.cache_write ?? 0,
  fresh: record.fresh ?? 0,
});

function toRepeatedTools({ part, start, name, n }: RepeatRecord): ToolUse[] {
  if (part !== "tool") return [];
  return (name ?? "").split("\n").map((line) => {
    const [calls = 0, failures = 0] = line.split(" ", 2).map(Number);
    return { start, name: line.replace(/^\d+ \d+ /, "") || null, calls: -n * calls, failures: -n * failures };
  });
}

/** Amounts are subtracted from the names under which they were counted. */
function listedAlike(repeated: readonly ToolUse[], listed: readonly ToolRecord[]): ToolUse[] {
  const names = new Set(listed.map(({ name }) => name));
  return repeated.map((use) => (names.has(use.name) ? use : { ...use, name: null }));
}
