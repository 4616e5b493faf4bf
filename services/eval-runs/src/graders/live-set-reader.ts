import { limits } from "@touchstone/contracts";
import { type Queryable, storedSize } from "@touchstone/db";
import { AppError, memberValue } from "@touchstone/service-kit";
import { judgesOf, readLiveGroups } from "./live-scorer-store.ts";

/** Bytes of the documents of a project's live judges by id. One counts again for each live group that has it. */
export type LiveSet = ReadonlyMap<string, number>;

/** Measures the judges whose rubrics are announced together. */
export async function measureLiveSet(transaction: Queryable, projectId: string): Promise<LiveSet> {
  // Groups are parsed here: the operators of PostgreSQL refuse some texts in their documents.
  const grouped = (await readLiveGroups(transaction, projectId)).flatMap(({ group }) => judgesOf(group));
  const { rows } = await transaction.query<{ id: string; bytes: number }>({
    name: "live_set_measure",
    text: `
      select configs.id, sum(${storedSize("versions", "document_bytes", ["document"])})::float8 as bytes
      from (
        select id::text as ref
        from evals.grading_configs
        where project_id = $1
          and online is not null
        union all
        select unnest($2::text[])
      ) as mentioned
      join evals.grading_configs as configs
        on configs.project_id = $1
        and configs.id::text = mentioned.ref
      join evals.grading_config_versions as versions
        on versions.project_id = configs.project_id
        and versions.config_id = configs.id
        and versions.version = configs.version
      group by configs.id`,
    values: [projectId, grouped],
  });
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/**
 * Whether the live judges can be announced. Throws `bad_request`, with the name of the judge, for a change that makes them too
 * large; a set that earlier versions let grow may be made smaller.
 */
export async function fitsLiveSet(transaction: Queryable, projectId: string, before: LiveSet): Promise<boolean> {
  const after = await measureLiveSet(transaction, projectId);
  if (sizeOf(after) <= limits.liveScorersMaxBytes) return true;
  if (sizeOf(after) <= sizeOf(before)) return false;
  const growthOf = (id: string): number => (after.get(id) ?? 0) - (before.get(id) ?? 0);
  const [grown = ""] = [...after.keys()].sort((one, other) => growthOf(other) - growthOf(one));
  throw new AppError(
    "bad_request",
    `The live judges of a project have at most ${limits.liveScorersMaxBytes} bytes; with "${await nameOf(transaction, projectId, grown)}" they would have more.`,
  );
}

const sizeOf = (set: LiveSet): number => [...set.values()].reduce((sum, bytes) => sum + bytes, 0);

async function nameOf(transaction: Queryable, projectId: string, id: string): Promise<string> {
  const { rows } = await transaction.query<{ document: string }>({
    name: "live_set_name",
    text: `
      select versions.document::text as document
      from evals.grading_configs as configs
      join evals.grading_config_versions as versions
        on versions.project_id = configs.project_id
        and versions.config_id = configs.id
        and versions.version = configs.version
      where configs.project_id = $1
        and configs.id = $2`,
    values: [projectId, id],
  });
  return rows[0] === undefined ? id : String(memberValue(rows[0].document, "name"));
}
