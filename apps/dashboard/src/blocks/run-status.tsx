import { Badge } from "../ui/page.tsx";

/** The status of a run. A normal status is a plain word; a run that is in progress or failed is highlighted. */
export function RunStatus({ status }: { status: "in_progress" | "completed" | "failed" }) {
  if (status === "completed") return <span className="text-soft">completed</span>;
  if (status === "failed") return <Badge look="bad">failed</Badge>;
  return (
    <Badge>
      <span aria-hidden className="size-1.5 animate-pulse rounded-full bg-accent" />
      running
    </Badge>
  );
}

/** A stored verdict of a gate: a sign and a word, with the reason in the title. */
export function GateVerdict({
  gate,
}: {
  gate: { passed: boolean; checks: readonly { detail: string; passed: boolean }[] } | undefined;
}) {
  if (gate === undefined) return <span className="text-soft">-</span>;
  return (
    <span
      title={gate.checks.map(({ detail }) => detail).join(" ")}
      className={gate.passed ? "text-good" : "font-medium text-bad"}
    >
      {gate.passed ? "✓ passed" : "✗ failed"}
    </span>
  );
}
