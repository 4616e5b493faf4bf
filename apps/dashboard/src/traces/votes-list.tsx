import { useQuery } from "@tanstack/react-query";
import { LongText } from "../blocks/long-text.tsx";
import { useMemberNames } from "../blocks/member-names.ts";
import { feedbackQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { countOf } from "../ui/format.ts";
import { ThumbDownIcon, ThumbUpIcon } from "../ui/icons.tsx";
import { Section, Time } from "../ui/page.tsx";

/** People's votes on a trace, newest first; nothing without votes. */
export function VotesList({ traceId }: { traceId: string }) {
  const votes = useQuery(feedbackQuery(useApi(), traceId)).data ?? [];
  const nameOf = useMemberNames(votes.some(({ authorId }) => authorId !== null));
  if (votes.length === 0) return null;
  return (
    <Section title="Votes" aside={countOf(votes.length, "vote")}>
      <ul className="m-0 list-none p-0">
        {votes.map(({ _id, rating, comment, endUserId, authorId, createdAt }) => (
          <li key={_id} className="flex gap-2 border-b border-line py-2 last:border-b-0">
            {rating === "up" ? <ThumbUpIcon className="mt-0.5 size-4" /> : <ThumbDownIcon className="mt-0.5 size-4" />}
            <div className="min-w-0 flex-1">
              <div className="flex flex-wrap gap-x-3 text-xs text-faint">
                <span className="text-soft">{rating === "up" ? "good" : "bad"}</span>
                <Time iso={createdAt} isAge />
                {authorId !== null && <span className="truncate">by {nameOf(authorId)}</span>}
                {endUserId !== undefined && <span className="truncate">by the end user {endUserId}</span>}
              </div>
              {comment !== undefined && <LongText text={comment} most={600} />}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
