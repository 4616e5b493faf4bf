import type { Severity } from "../blocks/severities.ts";
import { Badge } from "../ui/page.tsx";

const looks = { critical: "bad", high: "bad", medium: "warn", low: "plain" } as const;

export function SeverityBadge({ severity }: { severity: Severity }) {
  return <Badge look={looks[severity]}>{severity}</Badge>;
}
