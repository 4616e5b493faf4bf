import type { topicMap } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

type TopicMap = Omit<z.input<typeof topicMap>, "window">;

/** Reads the results of a project's traces by topic. */
export interface TopicMapReader {
  /** Over the traces classified since a time. */
  read(projectId: string, since: Date): Promise<TopicMap>;
}

const intentsMax = 50;
const traceIdsMax = 5;

interface GroupRow {
  total: number;
  intent: string;
  sentiment: string;
  issue_type: string;
  count: number;
  failing: number;
  newest: string[];
}

export function createTopicMapReader(database: Database): TopicMapReader {
  return {
    async read(projectId, since) {
      const { rows } = await database.readScoped<GroupRow>([projectId], {
        name: "topics_map",
        // A trace that monitor has deleted fails only by a scorer's verdict.
        text: `
          with topics as materialized (
            select trace_id, topic ->> 'intent' as intent, topic ->> 'sentiment' as sentiment,
                   topic ->> 'issueType' as issue_type
            from monitor.judged_traces
            where project_id = $1
              and classified_at >= $2
          ),
          ranked as (
            select intent, count(*) as of_intent, sum(count(*)) over ()::integer as total
            from topics
            group by intent
            order by 2 desc, 1
            limit $3
          )
          select ranked.total, intent, sentiment, issue_type, count(*)::integer as count,
                 count(*) filter (
                   where coalesce(seen.operational_class <> 'healthy-response', false)
                      or exists (
                        select
                        from monitor.verdicts
                        where project_id = $1
                          and verdicts.trace_id = topics.trace_id
                          and rating < threshold
                      )
                 )::integer as failing,
                 (array_agg(topics.trace_id order by topics.trace_id desc))[:$4::integer] as newest
          from ranked
          join topics using (intent)
          left join monitor.seen_traces seen on seen.project_id = $1 and seen.trace_id = topics.trace_id
          group by ranked.total, ranked.of_intent, intent, sentiment, issue_type
          order by ranked.of_intent desc, intent, count desc, issue_type, sentiment`,
        values: [projectId, since, intentsMax, traceIdsMax],
      });
      const groups = Map.groupBy(rows, ({ intent }) => intent);
      return {
        total: rows[0]?.total ?? 0,
        intents: [...groups].map(([intent, ofIntent]) => describeIntent(intent, ofIntent)),
      };
    },
  };
}

function describeIntent(intent: string, rows: readonly GroupRow[]): TopicMap["intents"][number] {
  const sum = (some: readonly GroupRow[]): number => some.reduce((all, { count }) => all + count, 0);
  const feeling = (label: string): number => sum(rows.filter(({ sentiment }) => sentiment === label));
  const issues = Map.groupBy(rows, (row) => row.issue_type);
  const count = sum(rows);
  return {
    intent,
    count,
    sentiments: { positive: feeling("positive"), neutral: feeling("neutral"), negative: feeling("negative") },
    issueTypes: [...issues]
      .map(([label, some]) => ({ label, count: sum(some) }))
      .sort((one, other) => other.count - one.count || (one.label < other.label ? -1 : 1)),
    failureRate: rows.reduce((all, { failing }) => all + failing, 0) / count,
    // A trace's creation time is in its id.
    traceIds: rows
      .flatMap(({ newest }) => newest)
      .sort()
      .reverse()
      .slice(0, traceIdsMax),
  };
}
