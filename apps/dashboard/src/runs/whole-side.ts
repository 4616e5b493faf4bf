import { useQuery } from "@tanstack/react-query";
import { useApi } from "../shell/session.tsx";
import { type ResultRow, reasonBy } from "./case-rows.ts";
import type { ComparedCase } from "./compare-rows.ts";
import { caseQuery } from "./queries.ts";

/** A side of a case; its texts are cut until the result itself is loaded. */
export type WholeSide = ComparedCase["baseline"] & { result: ResultRow | undefined };

/** Loads the result of a side, because a comparison contains only part of its texts. */
export function useWholeSide(runId: string, side: ComparedCase["baseline"], scorerId: string | null): WholeSide {
  const read = useQuery({
    ...caseQuery(useApi(), runId, { key: side.resultId ?? "", scorer: scorerId ?? undefined, baselineId: null }),
    enabled: side.resultId !== null,
  });
  const result = read.data?.[0];
  if (result === undefined) return { ...side, result };
  return { ...side, result, output: result.output?.text ?? null, justification: reasonBy(result, scorerId) };
}
