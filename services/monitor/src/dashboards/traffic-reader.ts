import type { Stretch } from "@touchstone/contracts";
import type { Database, Statement } from "@touchstone/db";
import { noTraffic, type TrafficCounts } from "./traffic-counts.ts";
import { firstIdOf, isOfAgent, isVoteOfAgent, runCounts, runs, votes } from "./watched-runs-reader.ts";

/** A time span, excluding its end. */
export interface Span {
  since: Date;
  until: Date;
}

/** Traffic by time bucket, in UTC; empty ones are left out. */
export interface TrafficBucket extends TrafficCounts {
  start: Date;
}

/** Latency and errors in one time bucket. */
export interface PerformanceBucket {
  start: Date;
  totalRuns: number;
  errors: number;
  latencyP50: number | null;
  latencyP95: number | null;
}

export interface FailingAgent {
  agentId: string | null;
  totalRuns: number;
  failingRuns: number;
  operationalFailingRuns: number;
  scorerFailingRuns: number;
}

export interface AgentRuns extends FailingAgent {
  latencyP95: number | null;
  /** Of the newest ratings of its runs, without those of groups; null without one. */
  meanRating: number | null;
  ratings: number;
  /** The failure that checks found most often in it, excluding votes; null without one. */
  mainFailure: { patternKey: string; kind: string; count: number } | null;
}

export interface FrequentFinding {
  patternKey: string;
  kind: string;
  count: number;
  lastSeenAt: Date;
}

/** Counts the watched traffic of a project, or of one of its agents, from narrow columns only (completions 9.5). */
export interface TrafficReader {
  count(projectId: string, span: Span): Promise<TrafficCounts>;
  /** For one agent if `agentId` is given. */
  tally(projectId: string, stretch: Stretch, span: Span, agentId: string | null): Promise<TrafficBucket[]>;
  tallyPerformance(projectId: string, stretch: Stretch, span: Span): Promise<PerformanceBucket[]>;
  /** Those with a failing run, most of them first, at most ten. */
  listFailingAgents(projectId: string, span: Span, agentId: string | null): Promise<FailingAgent[]>;
  /** All with a run, most failing ones first, at most 200. */
  listAgents(projectId: string, span: Span): Promise<AgentRuns[]>;
  /** The most frequent failures, at most ten. */
  listFrequentFindings(projectId: string, span: Span, agentId: string | null): Promise<FrequentFinding[]>;
}

const listedMax = 10;
const agentsMax = 200;

const trafficCounts = `
  ${runCounts},
  count(*) filter (where tool_calls > 0 or tool_fails)::integer as tool_runs,
  count(*) filter (where tool_fails)::integer as tool_failing_runs,
  percentile_disc(0.95) within group (order by latency_ms) as p95_latency_ms`;

const voteCounts = `
  count(*)::integer as votes,
  count(*) filter (where rating = 'down')::integer as votes_down`;

export function createTrafficReader(database: Database): TrafficReader {
  return {
    async count(projectId, { since, until }) {
      const { rows } = await database.readScoped<CountsRow>([projectId], {
        name: "traffic_count",
        text: `
          select *
          from (select ${trafficCounts} from (${runs}) as runs) as traffic,
               (select ${voteCounts} ${votes}) as votes`,
        values: [projectId, since, until, firstIdOf(since)],
      });
      const [row] = rows;
      return row === undefined ? noTraffic : readCounts(row);
    },

    async tally(projectId, stretch, span, agentId) {
      const { rows } = await database.readScoped<CountsRow & { start: Date }>(
        [projectId],
        buildTally(projectId, stretch, span, agentId),
      );
      return rows.map((row) => ({ start: row.start, ...readCounts(row) }));
    },

    async tallyPerformance(projectId, stretch, { since, until }) {
      const { rows } = await database.readScoped<PerformanceRow>([projectId], {
        name: "traffic_performance",
        text: `
          select date_bin($4::interval, created_at, timestamptz 'epoch') as start,
                 count(*)::integer as total_runs,
                 count(*) filter (where has_error)::integer as errors,
                 percentile_disc(array[0.5, 0.95]) within group (order by latency_ms) as latencies
          from monitor.seen_traces
          where project_id = $1
            and created_at >= $2
            and created_at < $3
            and operational_class is not null
          group by 1`,
        values: [projectId, since, until, stretch],
      });
      return rows.map(({ start, total_runs, errors, latencies }) => {
        const [latencyP50 = null, latencyP95 = null] = latencies ?? [];
        return { start, totalRuns: total_runs, errors, latencyP50, latencyP95 };
      });
    },

    async listFailingAgents(projectId, { since, until }, agentId) {
      const { rows } = await database.readScoped<AgentRow>([projectId], {
        name: "traffic_failing_agents",
        text: `
          select *
          from (select agent_id, ${runCounts} from (${runs}) as runs where ${isOfAgent("$5")} group by agent_id) as agents
          where failing_runs > 0
          order by failing_runs desc, total_runs, agent_id
          limit ${listedMax}`,
        values: [projectId, since, until, firstIdOf(since), agentId],
      });
      return rows.map(readAgent);
    },

    async listAgents(projectId, span) {
      const { rows } = await database.readScoped<AgentRunsRow>([projectId], selectAgents(projectId, span));
      return rows.map(readAgentRuns);
    },

    async listFrequentFindings(projectId, { since, until }, agentId) {
      const { rows } = await database.readScoped<FindingRow>([projectId], {
        name: "events_frequent",
        text: `
          select pattern_key, kind, count(*)::integer as count, max(created_at) as last_seen_at
          from monitor.events
          where project_id = $1
            and created_at >= $2
            and created_at < $3
            and polarity = 'failure'
            and ${isOfAgent("$4")}
          group by pattern_key, kind
          order by count(*) desc, pattern_key
          limit ${listedMax}`,
        values: [projectId, since, until, agentId],
      });
      return rows.map(({ pattern_key, kind, count, last_seen_at }) => ({
        patternKey: pattern_key,
        kind,
        count,
        lastSeenAt: last_seen_at,
      }));
    },
  };
}

const buildTally = (
  projectId: string,
  stretch: Stretch,
  { since, until }: Span,
  agentId: string | null,
): Statement => ({
  name: "traffic_tally",
  text: `
    with traffic as (
      select date_bin($5::interval, created_at, timestamptz 'epoch') as start, ${trafficCounts}
      from (${runs}) as runs
      where ${isOfAgent("$6")}
      group by 1
    ),
    voting as (
      select date_bin($5::interval, created_at, timestamptz 'epoch') as start, ${voteCounts} ${votes}
        and ${isVoteOfAgent("$6")}
      group by 1
    )
    select *
    from traffic
    full join voting using (start)`,
  values: [projectId, since, until, firstIdOf(since), stretch, agentId],
});

const selectAgents = (projectId: string, { since, until }: Span): Statement => ({
  name: "traffic_agents",
  text: `
    with agents as (
      select agent_id, ${runCounts},
             percentile_disc(0.95) within group (order by latency_ms) as latency_p95
      from (${runs}) as runs
      group by agent_id
      order by 3 desc, 2 desc, agent_id
      limit ${agentsMax}
    ),
    rated as (
      select seen_traces.agent_id, avg(rating) as mean_rating, count(*)::integer as ratings
      from monitor.verdicts
      join monitor.seen_traces using (project_id, trace_id)
      where project_id = $1
        and trace_id >= $4
        and seen_traces.created_at >= $2
        and seen_traces.created_at < $3
        and operational_class is not null
        and not is_group
        and not starts_with(scorer_key, 'external:')
      group by seen_traces.agent_id
    ),
    found as (
      select distinct on (agent_id) agent_id, pattern_key, kind, count(*)::integer as count
      from monitor.events
      where project_id = $1
        and created_at >= $2
        and created_at < $3
        and polarity = 'failure'
        and kind <> 'feedback'
      group by agent_id, pattern_key, kind
      order by agent_id, count(*) desc, pattern_key
    )
    select agents.*, found.pattern_key, found.kind, found.count, mean_rating, coalesce(ratings, 0) as ratings
    from agents
    left join rated on rated.agent_id is not distinct from agents.agent_id
    left join found on found.agent_id is not distinct from agents.agent_id
    order by failing_runs desc, total_runs desc, agents.agent_id`,
  values: [projectId, since, until, firstIdOf(since)],
});

/** Null if the bucket had no run, or no vote. */
type CountsRow = {
  total_runs: number | null;
  failing_runs: number | null;
  operational_failing_runs: number | null;
  scorer_failing_runs: number | null;
  tool_runs: number | null;
  tool_failing_runs: number | null;
  p95_latency_ms: number | null;
  votes: number | null;
  votes_down: number | null;
};
type AgentRow = {
  agent_id: string | null;
  total_runs: number;
  failing_runs: number;
  operational_failing_runs: number;
  scorer_failing_runs: number;
};
type AgentRunsRow = AgentRow & {
  latency_p95: number | null;
  mean_rating: number | null;
  ratings: number;
  pattern_key: string | null;
  kind: string | null;
  count: number | null;
};
type PerformanceRow = { start: Date; total_runs: number; errors: number; latencies: (number | null)[] | null };
type FindingRow = { pattern_key: string; kind: string; count: number; last_seen_at: Date };

const readAgent = (row: AgentRow): FailingAgent => ({
  agentId: row.agent_id,
  totalRuns: row.total_runs,
  failingRuns: row.failing_runs,
  operationalFailingRuns: row.operational_failing_runs,
  scorerFailingRuns: row.scorer_failing_runs,
});

const readAgentRuns = ({ pattern_key, kind, count, ...row }: AgentRunsRow): AgentRuns => ({
  ...readAgent(row),
  latencyP95: row.latency_p95,
  meanRating: row.mean_rating,
  ratings: row.ratings,
  mainFailure: pattern_key === null ? null : { patternKey: pattern_key, kind: kind ?? "", count: count ?? 0 },
});

const readCounts = (row: CountsRow): TrafficCounts => ({
  totalRuns: row.total_runs ?? 0,
  failingRuns: row.failing_runs ?? 0,
  operationalFailingRuns: row.operational_failing_runs ?? 0,
  scorerFailingRuns: row.scorer_failing_runs ?? 0,
  toolRuns: row.tool_runs ?? 0,
  toolFailingRuns: row.tool_failing_runs ?? 0,
  p95LatencyMs: row.p95_latency_ms,
  votes: row.votes ?? 0,
  votesDown: row.votes_down ?? 0,
});
