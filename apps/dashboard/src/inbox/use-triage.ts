import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { bodyOf } from "../api/client.ts";
import { useApi } from "../shell/session.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { type SignalFilters, signalQuery, signalsQuery } from "./queries.ts";
import { neighbourOf, type SignalStatus, withStatus } from "./rules.ts";
import type { Selection } from "./use-selection.ts";

const said: Record<SignalStatus, string> = {
  open: "Opened again",
  reopened: "Opened again",
  in_review: "In review",
  resolved: "Resolved",
  dismissed: "Dismissed",
  archived: "Archived",
};

interface Change {
  id: string;
  status: SignalStatus;
  before: SignalStatus;
}

/**
 * Dismisses the selected signal. The list changes at once and the next row is selected, so that keys can be pressed in
 * a row; a change that the API refuses is undone, with the API's message.
 */
export function useTriage(filters: SignalFilters, { current, select }: Selection) {
  const api = useApi();
  const queries = useQueryClient();
  const { say, warn } = useToasts();
  const done = useRef<Change[]>([]);
  const list = signalsQuery(api, filters).queryKey;
  const mutationKey = [api.projectId, "triage"];

  const { mutate } = useMutation({
    mutationKey,
    // Sequential: an undo must not overtake the change it reverts.
    scope: { id: "triage" },
    mutationFn: ({ id, status }: Change) =>
      bodyOf(api.PATCH("/api/v1/monitor/signals/{signalId}", { params: { path: { signalId: id } }, body: { status } })),
    onError: warn,
    onSettled: (_answer, _problem, { id }) => {
      void queries.invalidateQueries({ queryKey: signalQuery(api, id).queryKey });
      // A refetch while another change is pending would bring its row back for a moment.
      if (queries.isMutating({ mutationKey }) > 1) return;
      void queries.invalidateQueries({ queryKey: [api.projectId, "signals", "list"] });
      void queries.invalidateQueries({ queryKey: [api.projectId, "overview", "signals"] });
    },
  });

  function apply(change: Change): void {
    void queries.cancelQueries({ queryKey: list });
    queries.setQueryData(
      list,
      (data) => data && { ...data, pages: withStatus(data.pages, { ...change, choice: filters.status }) },
    );
    mutate(change);
  }

  function undo(change = done.current.at(-1)): void {
    if (change === undefined || !done.current.includes(change)) return;
    done.current = done.current.filter((other) => other !== change);
    apply({ id: change.id, status: change.before, before: change.status });
    select(change.id);
    say(`${said[change.status]}: taken back`, undefined, "triage");
  }

  function act(status: SignalStatus): void {
    const id = current.current;
    if (id === undefined) return;
    // The rendered list may lag one key press behind; the cache does not.
    const rows = queries.getQueryData(list)?.pages.flatMap(({ signals }) => signals) ?? [];
    const before =
      rows.find(({ _id }) => _id === id)?.status ?? queries.getQueryData(signalQuery(api, id).queryKey)?.signal.status;
    if (before === undefined || before === status) return;
    const change = { id, status, before };
    apply(change);
    done.current.push(change);
    select(
      neighbourOf(
        rows.map(({ _id }) => _id),
        id,
      ),
    );
    say(said[status], () => undo(change), "triage");
  }

  useShortcuts("Selected signal", [
    { keys: "e", label: "Resolve", run: () => act("resolved") },
    { keys: "d", label: "Dismiss", run: () => act("dismissed") },
    { keys: "i", label: "Take in review", run: () => act("in_review") },
    { keys: "u", label: "Undo", run: () => undo() },
  ]);
  return { act, undo };
}
