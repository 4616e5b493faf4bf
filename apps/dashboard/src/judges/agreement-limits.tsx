import { countOf } from "../ui/format.ts";
import { Section } from "../ui/page.tsx";
import type { AgreementScorer } from "./agreement-scorer.ts";
import type { Agreement } from "./trust.ts";

/** The limits of the number that apply to this judge. */
export function AgreementLimits({ agreement, scorer }: { agreement: Agreement | undefined; scorer: AgreementScorer }) {
  return (
    <Section title="What this number cannot say">
      <ul className="m-0 flex max-w-prose list-disc flex-col gap-2 pl-5 text-soft">
        {limitsOf(agreement, scorer).map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </Section>
  );
}

function limitsOf(agreement: Agreement | undefined, { name, threshold, isSession }: AgreementScorer): string[] {
  const { corrected = 0, withoutThreshold = 0 } = agreement ?? {};
  return [
    ...(isSession ? ["People vote on traces, and this judge rates sessions: there is nothing to compare."] : []),
    "Voters are not a random sample: angry users vote more, and so do people who opened a signal. Labels on randomly drawn traces tell how the judge does on all traffic.",
    ...(corrected > 0
      ? [
          `${countOf(corrected, "label")} ${corrected === 1 ? "is a corrected score" : "are corrected scores"} of its own signals. A signal exists only where it failed the trace, so these can never show what it misses.`,
        ]
      : []),
    ...(threshold === null
      ? [`${name} has no threshold, so its ratings take no side. Give it one to compare them with people's.`]
      : withoutThreshold > 0
        ? [`${countOf(withoutThreshold, "labelled trace")} it rated without a threshold: they are left out.`]
        : []),
    "Many votes on the traces of one conversation are fewer labels than they seem.",
    "Kappas of judges whose traffic is bad to very different degrees are not comparable with each other.",
    "A changed rubric is another judge: each version is measured by itself.",
  ];
}
