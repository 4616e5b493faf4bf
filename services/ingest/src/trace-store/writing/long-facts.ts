import type { Queryable } from "@touchstone/db";
import { forEachInSlices, runInSlices } from "@touchstone/service-kit";
import { splitByBytes } from "../../assembly/split-by-bytes.ts";
import { type FragmentRecord, readLongFacts, recordToTreeFragment } from "../../assembly/stored-trace.ts";
import type { TreeFragment } from "../../assembly/tree.ts";
import type { FragmentFacts } from "../../model/incoming-fragment.ts";
import { sliceBytesMax } from "../reading/compose-store.ts";
import { buildFactsRead } from "./trace-read.ts";

type FragmentKey = Pick<FragmentRecord, "project_id" | "dk">;

/** Names a fragment among those of all projects. */
export function fragmentKeyOf({ project_id, dk }: FragmentKey): string {
  return `${project_id} ${dk}`;
}

/**
 * Reads long facts of these fragments in slices of bounded size, and returns what makes a fragment of each record. A fragment
 * that was removed meanwhile has no facts.
 */
export async function readFactsApart(
  read: Queryable["query"],
  fragments: readonly FragmentRecord[],
): Promise<(record: FragmentRecord) => TreeFragment> {
  const found = new Map<string, FragmentFacts>();
  const apart = fragments.filter(({ facts }) => facts === null);
  for (const slice of splitByBytes(apart, ({ fact_bytes }) => fact_bytes, sliceBytesMax)) {
    const { rows } = await read<FragmentKey & { facts: string }>(buildFactsRead(slice));
    const keep = (row: (typeof rows)[number]) => void found.set(fragmentKeyOf(row), readLongFacts(row.facts));
    await runInSlices(forEachInSlices(rows, keep));
  }
  return (record) => recordToTreeFragment(record, found.get(fragmentKeyOf(record)));
}
