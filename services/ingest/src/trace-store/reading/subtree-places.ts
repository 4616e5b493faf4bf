import type { Database } from "@touchstone/db";
import type { PlacedSpan } from "../../model/read-span.ts";
import { buildChildPlaces, buildTracePlaces, type PlacedRecord, toPlacedSpan } from "./subtree-read.ts";

/** Levels of REST spans in a subtree, one statement for each. */
const levelsMax = 100;

/** The places of a subtree's spans. */
export interface SubtreePlaces {
  /** The span itself first, the others in no order. */
  places: PlacedSpan[];
  /** Deeper spans were left out. */
  isDeeper: boolean;
}

/**
 * The span with all spans of its OTel trace, or with the REST spans below it, at most `spansMax`. Null if the project
 * has none with this id.
 */
export async function readPlaces(
  reading: Pick<Database, "readScoped">,
  { projectId, id, spansMax }: { projectId: string; id: string; spansMax: number },
): Promise<SubtreePlaces | null> {
  const childrenOf = async (level: readonly PlacedRecord[], limit: number): Promise<PlacedRecord[]> => {
    const parents = level.map(({ span_id }) => span_id).filter((spanId) => spanId !== null);
    if (parents.length === 0) return [];
    return (await reading.readScoped<PlacedRecord>([projectId], buildChildPlaces(projectId, parents, limit))).rows;
  };
  const first = buildTracePlaces(projectId, id, spansMax);
  const found = (await reading.readScoped<PlacedRecord>([projectId], first)).rows;
  if (found.length === 0) return null;
  const known = new Set(found.map((record) => record.id));
  let level = found[0]?.is_otlp ? [] : found;
  for (let levels = 0; level.length > 0 && found.length < spansMax; levels += 1) {
    // In a cycle, up to that many known members may be returned before a new one.
    const limit = levels < levelsMax ? spansMax - found.length : known.size + 1;
    const below = (await childrenOf(level, limit)).filter((record) => !known.has(record.id));
    if (levels === levelsMax) return { places: found.map(toPlacedSpan), isDeeper: below.length > 0 };
    level = below;
    for (const record of level) known.add(record.id);
    found.push(...level);
  }
  return { places: found.map(toPlacedSpan), isDeeper: false };
}
