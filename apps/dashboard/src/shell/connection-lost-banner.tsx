import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiProblem } from "../api/problem.ts";
import { Button } from "../ui/button.tsx";
import { Time } from "../ui/page.tsx";
import { Banner } from "./banner.tsx";

const askEveryMs = 5_000;

/**
 * Shows since when the server has not answered. Loaded content stays visible; the banner polls the server, and the
 * content is refreshed when it is back.
 */
export function ConnectionLostBanner() {
  const [since, setSince] = useLostSince();
  const queries = useQueryClient();
  const isLost = since !== null;
  const askAgain = async (): Promise<void> => {
    const isBack = await fetch("/api/v1/auth/config", { cache: "no-store" }).then(
      ({ status }) => status < 500,
      () => false,
    );
    if (isBack) setSince(null);
  };
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => !document.hidden && void askAgain(), askEveryMs);
    return () => {
      clearInterval(timer);
      void queries.refetchQueries({ type: "active" });
    };
  }, [isLost, queries]);
  if (since === null) return null;
  return (
    <Banner>
      <span className="flex-1 basis-64">
        The server has not answered since <Time iso={since} />. It may be restarting, or the network is down. What you
        see is from before; it is tried again every 5 s, and nothing you typed is lost.
      </span>
      <Button onClick={() => void askAgain()}>Try now</Button>
    </Banner>
  );
}

/** When a request first got no answer, in ISO 8601; null again after the next answer. */
function useLostSince(): [string | null, (since: string | null) => void] {
  const [since, setSince] = useState<string | null>(null);
  const queries = useQueryClient();
  useEffect(() => {
    const notice = (error: unknown): void => {
      if (!(error instanceof ApiProblem) || error.status !== 0) return;
      setSince((before) => before ?? new Date().toISOString());
    };
    const offQueries = queries.getQueryCache().subscribe((event) => {
      if (event.type !== "updated") return;
      if (event.action.type === "failed" || event.action.type === "error") notice(event.action.error);
      else if (event.action.type === "success" && event.action.manual !== true) setSince(null);
    });
    const offChanges = queries.getMutationCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "error") notice(event.action.error);
    });
    return () => {
      offQueries();
      offChanges();
    };
  }, [queries]);
  return [since, setSince];
}
