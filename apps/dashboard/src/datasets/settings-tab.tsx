import type { ReactNode } from "react";
import { formatRating, formatShare } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import type { Dataset } from "./queries.ts";

const metrics = [
  ["vectorSimilarity", "Meaning (vectors)"],
  ["jaccardSimilarity", "Jaccard"],
  ["bleuScore", "BLEU"],
  ["rougeScore", "ROUGE"],
] as const;

/** How the answers to a dataset are graded, and how pipelines use it. */
export function SettingsTab({ dataset }: { dataset: Dataset }) {
  const { ci = {} } = dataset;
  const used = metrics.filter(([name]) => dataset[name]?.enabled === true).map(([, label]) => label);
  const scorers = (dataset.codeScorers ?? []) as { name?: string; code?: string }[];
  return (
    <div tabIndex={0} className="flex min-h-0 flex-1 flex-col gap-8 overflow-auto p-4 outline-offset-[-2px] md:px-6">
      <Section title="Grading">
        <dl className="m-0 grid gap-4 md:max-w-3xl">
          <Setting label="Description">{dataset.description}</Setting>
          <Setting label="Judged by">{dataset.evaluationCriteria}</Setting>
          <Setting label="Accepted when it">{dataset.acceptanceCriteria}</Setting>
          <Setting label="Rejected when it">{dataset.rejectionCriteria}</Setting>
          <Setting label="Answers asked of each case">{String(dataset.numberOfRequests)}</Setting>
          <Setting label="Similarity to the expected answer">{used.join(", ")}</Setting>
          {scorers.map(({ name, code }, index) => (
            <Setting key={index} label={`Code scorer: ${name ?? "unnamed"}`}>
              <pre className="m-0 overflow-x-auto font-mono text-xs">{code}</pre>
            </Setting>
          ))}
        </dl>
      </Section>
      <Section title="Pipelines">
        <dl className="m-0 grid gap-4 md:max-w-3xl">
          <Setting label="CI runs">{ci.enabled === false ? "refused" : "taken"}</Setting>
          <Setting label="Share of cases that has to pass">{formatShare(ci.passRateThreshold ?? 0.8, 0)}</Setting>
          <Setting label="A case passes from">{formatRating(ci.ratingThreshold ?? 5)}</Setting>
          <Setting label="Questions shown to pipelines">{ci.exposeTestInputs === false ? "no" : "yes"}</Setting>
          <Setting label="Ends when it can no longer pass">{ci.failFast === true ? "yes" : "no"}</Setting>
        </dl>
      </Section>
    </div>
  );
}

function Setting({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-6 md:grid-cols-[15rem_1fr]">
      <dt className="text-soft">{label}</dt>
      <dd className="m-0 min-w-0 break-words whitespace-pre-wrap">
        {children || <span className="text-faint">-</span>}
      </dd>
    </div>
  );
}
