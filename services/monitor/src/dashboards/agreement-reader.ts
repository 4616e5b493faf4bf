import type { Database } from "@touchstone/db";
import type { IngestClient } from "../ingest-client.ts";
import type { ScorerTally } from "./compose-agreement.ts";
import { readHumanLabels } from "./human-labels.ts";
import { createPairReader, type PairReader, pairsSource } from "./pair-reader.ts";

/** Reads the verdicts of live scorers and people's labels on the same traces. */
export interface AgreementReader extends PairReader {
  /**
   * By scorer and version, most pairs first, at most 200, with labels given since `since`. A null `scorerKey` reads all
   * scorers.
   */
  tally(projectId: string, since: Date, scorerKey: string | null): Promise<ScorerTally[]>;
}

const scorersMax = 200;

const statement = `${pairsSource}
  select scorer_key, scorer_version, (array_agg(scorer_name order by created_at desc))[1] as scorer_name,
         bool_or(is_group) as is_group,
         count(*) filter (where takes_side and scorer_fails and person_fails)::integer as both_fail,
         count(*) filter (where takes_side and scorer_fails and not person_fails)::integer as only_scorer,
         count(*) filter (where takes_side and not scorer_fails and person_fails)::integer as only_person,
         count(*) filter (where takes_side and not scorer_fails and not person_fails)::integer as both_pass,
         count(*) filter (where takes_side and corrected_score is not null)::integer as corrected,
         count(*) filter (where not takes_side)::integer as without_threshold
  from pairs
  group by scorer_key, scorer_version
  order by count(*) desc, scorer_key, scorer_version desc nulls last
  limit ${scorersMax}`;

export function createAgreementReader(
  database: Database,
  ingest: Pick<IngestClient, "readHumanScores">,
): AgreementReader {
  return {
    ...createPairReader(database, ingest),

    async tally(projectId, since, scorerKey) {
      const labels = await readHumanLabels(ingest, projectId, since);
      const { rows } = await database.readScoped<Row>([projectId], {
        name: "agreement_tally",
        text: statement,
        values: [projectId, since, scorerKey, labels.traceIds, labels.votes, labels.comments, labels.times],
      });
      return rows.map((row) => ({
        scorerKey: row.scorer_key,
        scorerName: row.scorer_name,
        scorerVersion: row.scorer_version,
        isGroup: row.is_group,
        table: {
          bothFail: row.both_fail,
          onlyScorerFails: row.only_scorer,
          onlyPersonFails: row.only_person,
          bothPass: row.both_pass,
        },
        corrected: row.corrected,
        withoutThreshold: row.without_threshold,
      }));
    },
  };
}

type Row = {
  scorer_key: string;
  scorer_version: number | null;
  scorer_name: string;
  is_group: boolean;
  both_fail: number;
  only_scorer: number;
  only_person: number;
  both_pass: number;
  corrected: number;
  without_threshold: number;
};
