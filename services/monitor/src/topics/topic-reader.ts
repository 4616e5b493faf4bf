import type { topicCounts } from "@touchstone/contracts";
import type { Database } from "@touchstone/db";
import type { z } from "zod";

type Tally = z.infer<typeof topicCounts>["intents"];

/** Reads the topics of a project's traces. */
export interface TopicReader {
  /** The most frequent intents, most frequent first. */
  listFrequent(projectId: string, of: { days: number; limit: number }): Promise<string[]>;
  /** The count of each since a time. */
  count(projectId: string, since: Date): Promise<Omit<z.infer<typeof topicCounts>, "window">>;
}

const intentsMax = 100;

export function createTopicReader(database: Database): TopicReader {
  return {
    async listFrequent(projectId, { days, limit }) {
      const { rows } = await database.readScoped<{ intent: string }>([projectId], {
        name: "topics_frequent",
        text: `
          select topic ->> 'intent' as intent
          from monitor.judged_traces
          where project_id = $1
            and classified_at > now() - $2 * interval '1 day'
          group by 1
          order by count(*) desc, 1
          limit $3`,
        values: [projectId, days, limit],
      });
      return rows.map(({ intent }) => intent);
    },

    async count(projectId, since) {
      const { rows } = await database.readScoped<{ member: keyof typeof members; label: string; count: number }>(
        [projectId],
        {
          name: "topics_count",
          text: `
            select member, topic ->> member as label, count(*)::integer as count
            from monitor.judged_traces, unnest(array['intent', 'sentiment', 'issueType']) as member
            where project_id = $1
              and classified_at >= $2
            group by 1, 2
            order by 3 desc, 2`,
          values: [projectId, since],
        },
      );
      const tally = (member: string): Tally =>
        rows.filter((row) => row.member === member).map(({ label, count }) => ({ label, count }));
      const sentiments = tally(members.sentiment);
      return {
        total: sentiments.reduce((sum, { count }) => sum + count, 0),
        intents: tally(members.intent).slice(0, intentsMax),
        sentiments,
        issueTypes: tally(members.issueType),
      };
    },
  };
}

const members = { intent: "intent", sentiment: "sentiment", issueType: "issueType" } as const;
