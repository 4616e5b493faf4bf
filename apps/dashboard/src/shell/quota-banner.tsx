import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Time } from "../ui/page.tsx";
import { Banner } from "./banner.tsx";
import { useApi } from "./session.tsx";
import { spentQuotas, usageQuery } from "./usage.ts";

/** Shows on every page that a daily quota is used up, and until when. */
export function QuotaBanner() {
  const api = useApi();
  const usage = useQuery({ ...usageQuery(api), refetchInterval: 60_000 });
  if (usage.data === undefined) return null;
  const sentences = spentQuotas(usage.data);
  if (sentences.length === 0) return null;
  return (
    <Banner>
      <span className="flex-1 basis-64">
        A quota of today is used up until <Time iso={usage.data.resetsAt} />. {sentences.join(" ")}
      </span>
      <Link
        to="/p/$projectId/settings/$tab"
        params={{ projectId: api.projectId, tab: "usage" }}
        className="text-accent underline"
      >
        Usage and quotas
      </Link>
    </Banner>
  );
}
