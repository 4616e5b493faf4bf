import type { ReactNode } from "react";

const labels: Readonly<Record<string, string>> = {
  branch: "Branch",
  commit_sha: "Commit",
  pr_number: "Pull request",
  repo_url: "Repository",
  triggered_by: "Triggered by",
};

/** The pipeline's data about the commit: known members first, then all others. */
export function GitContext({ context }: { context: Readonly<Record<string, unknown>> | null }) {
  const all = Object.entries(context ?? {});
  if (all.length === 0) return null;
  const order = Object.keys(labels);
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return (
    <dl className="m-0 flex flex-wrap gap-x-8 gap-y-2 border-y border-line py-3">
      {all
        .sort(([one], [other]) => place(one) - place(other))
        .map(([name, value]) => (
          <div key={name} className="min-w-0">
            <dt className="text-xs text-faint">{labels[name] ?? name}</dt>
            <dd className="m-0 break-words">{render(value)}</dd>
          </div>
        ))}
    </dl>
  );
}

function render(value: unknown): ReactNode {
  if (typeof value === "string" && /^https?:\/\//.test(value)) {
    return (
      <a href={value} target="_blank" rel="noopener noreferrer" className="text-accent">
        {value}
      </a>
    );
  }
  return typeof value === "string" ? value : JSON.stringify(value);
}
