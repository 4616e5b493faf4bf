import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { formatExactShare, formatRating } from "../ui/format.ts";
import { EditIcon } from "../ui/icons.tsx";
import { Section } from "../ui/page.tsx";
import type { Dataset } from "./queries.ts";
import { metrics } from "./settings-fields.ts";
import { SettingsForm } from "./settings-form.tsx";

const route = getRouteApi("/p/$projectId/datasets/$datasetId");

/** How the answers to a dataset are graded, and how pipelines use it. */
export function SettingsTab({ dataset }: { dataset: Dataset }) {
  const { edit } = route.useSearch();
  const navigate = useNavigate({ from: "/p/$projectId/datasets/$datasetId" });
  const { ci = {} } = dataset;
  const used = (Object.keys(metrics) as (keyof typeof metrics)[])
    .filter((name) => dataset[name]?.enabled === true)
    .map((name) => metrics[name]);
  const scorers = (dataset.codeScorers ?? []) as { name?: string; code?: string }[];
  if (edit === "settings") {
    return (
      <div className="min-h-0 flex-1 overflow-auto p-4 md:px-6">
        <SettingsForm dataset={dataset} onClose={() => void navigate({ search: { tab: "settings" } })} />
      </div>
    );
  }
  return (
    <div tabIndex={0} className="flex min-h-0 flex-1 flex-col gap-8 overflow-auto p-4 outline-offset-[-2px] md:px-6">
      <Section
        title="About"
        actions={
          <Button onClick={() => void navigate({ search: { tab: "settings", edit: "settings" } })}>
            <EditIcon /> Edit
          </Button>
        }
        className="md:max-w-3xl"
      >
        <dl className="m-0 grid gap-4 md:max-w-3xl">
          <Setting label="Name">{dataset.name}</Setting>
          <Setting label="Description">{dataset.description}</Setting>
        </dl>
      </Section>
      <Section title="Grading">
        <dl className="m-0 grid gap-4 md:max-w-3xl">
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
          <Setting label="Share of cases that has to pass">{formatExactShare(ci.passRateThreshold ?? 0.8)}</Setting>
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
