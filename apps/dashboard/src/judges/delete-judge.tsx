import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { bodyOf } from "../api/client.ts";
import { scorerGroupsQuery } from "../blocks/why-queries.ts";
import { useApi } from "../shell/session.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { countOf } from "../ui/format.ts";
import { useToasts } from "../ui/toasts.tsx";
import type { Judge } from "./queries.ts";

/** Asks for confirmation before a judge is deleted, and lists what else is deleted. */
export function DeleteJudge({ judge, isOpen, onClose }: { judge: Judge; isOpen: boolean; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toasts = useToasts();
  const groups = useQuery(scorerGroupsQuery(api)).data ?? [];
  const using = groups.filter(({ members }) => members.some(({ refId }) => refId === judge._id));
  async function remove(): Promise<void> {
    await bodyOf(
      api.DELETE("/api/v1/agent-monitoring/judge-scorers/{judgeScorerId}", {
        params: { path: { judgeScorerId: judge._id } },
      }),
    );
    await queries.invalidateQueries({ queryKey: [api.projectId, "judge-scorers"] });
    toasts.say(`${judge.name} is deleted.`);
    await navigate({ to: "/p/$projectId/judges", params: { projectId: api.projectId } });
  }
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Delete ${judge.name}?`}
      verb="Delete the judge"
      onConfirm={remove}
    >
      <p className="m-0">
        {countOf(judge.versionCount, "version")} of its rubric {judge.versionCount === 1 ? "is" : "are"} deleted
        permanently
        {judge.online !== null && ", and it stops rating live traffic"}. The ratings it gave stay.
      </p>
      {using.length > 0 && (
        <p className="m-0 mt-2 text-warn">
          {countOf(using.length, "group")} will miss it: {using.map(({ name }) => name).join(", ")}.
        </p>
      )}
    </ConfirmDialog>
  );
}
