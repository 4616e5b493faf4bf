import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from "react";
import { bodyOf } from "../api/client.ts";
import { calibrationQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { type LabelSession, labelsToStore, markStored, unmarkStored } from "./label-session.ts";

/**
 * Stores the labels of a session as votes, one after the other. The last one is stored when the session ends, the user leaves the
 * page, or the tab is hidden. Failed ones are kept for a retry.
 */
export function useStoredLabels(session: LabelSession, setSession: Dispatch<SetStateAction<LabelSession>>) {
  const api = useApi();
  const queries = useQueryClient();
  const isDone = session.at >= session.traceIds.length;
  const waiting = labelsToStore(session, { ends: isDone });
  const next = waiting[0];
  const latest = useRef(session);
  latest.current = session;

  const store = useMutation({
    mutationFn: async ({ traceId, said }: { traceId: string; said: "pass" | "fail" }) => {
      await bodyOf(api.POST("/api/v1/feedback", { body: { traceId, rating: said === "pass" ? "up" : "down" } }));
    },
    onSuccess: (_, { traceId, said }) => setSession((before) => markStored(before, traceId, said)),
  });
  const { mutate, isPending, isError, error, reset } = store;
  useEffect(() => {
    if (next !== undefined && !isPending && !isError) mutate(next);
  }, [next?.traceId, next?.said, isPending, isError, mutate]);

  useEffect(() => {
    const onHidden = (): void => {
      if (document.visibilityState === "hidden") sendRest();
    };
    function sendRest(): Promise<void>[] {
      return labelsToStore(latest.current, { ends: true }).map(async ({ traceId, said }) => {
        // Marked at once, so that the label is not sent again when the user returns, unless the API did not store it.
        setSession((before) => markStored(before, traceId, said));
        const body = { traceId, rating: said === "pass" ? "up" : "down" } as const;
        await api
          .POST("/api/v1/feedback", { body, keepalive: true })
          .catch(() => setSession((before) => unmarkStored(before, traceId, said)));
      });
    }
    document.addEventListener("visibilitychange", onHidden);
    return () => {
      document.removeEventListener("visibilitychange", onHidden);
      // The pages that stay were read before the labels.
      void Promise.all(sendRest()).then(() => invalidateAgreement(queries, api.projectId));
    };
  }, [api, queries, setSession]);

  const isStored = isDone && waiting.length === 0;
  const [storedAtMs, setStoredAtMs] = useState<number | null>(null);
  useEffect(() => {
    setStoredAtMs(isStored ? Date.now() : null);
    if (isStored) invalidateAgreement(queries, api.projectId);
  }, [isStored, queries, api.projectId]);

  const { dataUpdatedAt } = useQuery(calibrationQuery(api));
  /** Agreement was refreshed after the last label was stored, so it contains all of them. */
  const isMeasured = storedAtMs !== null && dataUpdatedAt > storedAtMs;
  return { isDone, isStored, isMeasured, waiting: waiting.length, error: isError ? error : null, retry: reset };
}

/** Reads again what labels change. */
function invalidateAgreement(queries: QueryClient, projectId: string): void {
  for (const part of ["calibration", "agreement-pairs", "feedback"]) {
    void queries.invalidateQueries({ queryKey: [projectId, part] });
  }
}
