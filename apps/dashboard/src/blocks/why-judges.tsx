import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useApi } from "../shell/session.tsx";
import { Markdown } from "../ui/markdown.tsx";
import { Score } from "../ui/score.tsx";
import type { GroupJudge } from "./verdict.ts";
import { WhyPart } from "./why-part.tsx";
import { verdictRecordQuery } from "./why-queries.ts";
import { WhyRecord } from "./why-record.tsx";

/** The rating of each judge of a group; expanded, its reason, prompt and reply. */
export function WhyJudges({ judges }: { judges: readonly GroupJudge[] }) {
  return (
    <WhyPart title="Judges of the group">
      <ul className="m-0 list-none p-0">
        {judges.map((judge) => (
          <li key={judge.scorerId} className="border-b border-line last:border-b-0">
            <Judge judge={judge} />
          </li>
        ))}
      </ul>
    </WhyPart>
  );
}

function Judge({ judge: { name, rating, verdictId } }: { judge: GroupJudge }) {
  const [isOpen, setOpen] = useState(false);
  const said = (
    <>
      {name ?? "Judge"}{" "}
      <span className="ml-1">
        <Score rating={rating} />
      </span>
    </>
  );
  if (verdictId === null) return <p className="m-0 py-1.5">{said}</p>;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer py-1.5 max-md:py-3">{said}</summary>
      {isOpen && <Recorded verdictId={verdictId} />}
    </details>
  );
}

function Recorded({ verdictId }: { verdictId: string }) {
  const query = useQuery(verdictRecordQuery(useApi(), verdictId));
  return (
    <div className="mb-2 ml-3 flex flex-col gap-2">
      {query.data !== undefined && <Markdown text={query.data.justification} />}
      <WhyRecord query={query} />
    </div>
  );
}
