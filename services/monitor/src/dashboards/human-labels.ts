import type { HumanScores } from "@touchstone/contracts";
import type { IngestClient } from "../ingest-client.ts";

/** Scores that people gave to traces, as votes; parallel lists, as statements take them. */
export interface HumanLabels {
  traceIds: string[];
  votes: ("up" | "down")[];
  comments: (string | null)[];
  times: string[];
}

/** Of the newest scores of people at most so many pages count. */
const pagesMax = 10;

/** Reads the scores that people gave to traces since `since`, if they say good or bad. */
export async function readHumanLabels(
  ingest: Pick<IngestClient, "readHumanScores">,
  projectId: string,
  since: Date,
): Promise<HumanLabels> {
  const labels: HumanLabels = { traceIds: [], votes: [], comments: [], times: [] };
  let cursor: string | null = null;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page: HumanScores = await ingest.readHumanScores(projectId, since, cursor);
    for (const { traceIds, value, comment, timestamp } of page.scores) {
      const vote = voteOf(value);
      if (vote === null) continue;
      for (const traceId of traceIds) {
        labels.traceIds.push(traceId);
        labels.votes.push(vote);
        labels.comments.push(comment);
        labels.times.push(timestamp);
      }
    }
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  return labels;
}

const good = new Set<unknown>([true, 1, "up", "good", "pass"]);
const bad = new Set<unknown>([false, 0, "down", "bad", "fail"]);

/** Null: the value says neither, or on an unknown scale. */
function voteOf(value: number | string | boolean): "up" | "down" | null {
  const said = typeof value === "string" ? value.trim().toLowerCase() : value;
  if (good.has(said)) return "up";
  return bad.has(said) ? "down" : null;
}
