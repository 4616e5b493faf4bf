export type SignalStatus = "open" | "reopened" | "in_review" | "resolved" | "archived" | "dismissed";

/** The filters of the list. `open` covers unresolved signals, both new and recurring ones. */
export const statusChoices = ["open", "in_review", "resolved", "dismissed", "archived", "all"] as const;
export type StatusChoice = (typeof statusChoices)[number];

export const statusNames: Record<StatusChoice, string> = {
  open: "Open",
  in_review: "In review",
  resolved: "Resolved",
  dismissed: "Dismissed",
  archived: "Archived",
  all: "All",
};

/** In the URL, in place of one day of a signal's trend. */
export const everyDay = "all";

/** The statuses of a choice; null means all. */
export function statusesOf(choice: StatusChoice): readonly SignalStatus[] | null {
  if (choice === "all") return null;
  return choice === "open" ? ["open", "reopened"] : [choice];
}

/** The number of signals in a choice, from the API's counts by status. */
export function countOfChoice(counts: Readonly<Partial<Record<SignalStatus, number>>>, choice: StatusChoice): number {
  const statuses = statusesOf(choice) ?? (Object.keys(counts) as SignalStatus[]);
  return statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** The selection after a row leaves the list: the one below it, else the one above, else none. */
export function neighbourOf(ids: readonly string[], id: string): string | undefined {
  const index = ids.indexOf(id);
  return index === -1 ? ids[0] : (ids[index + 1] ?? ids[index - 1]);
}

interface Page {
  signals: readonly { _id: string; status: SignalStatus }[];
  totalCount: number;
  statusCounts: Readonly<Partial<Record<SignalStatus, number>>>;
}

/** The pages of a list after a signal's status changed: it leaves if the filter excludes that status. */
export function withStatus<OnePage extends Page>(
  pages: readonly OnePage[],
  { id, status, choice }: { id: string; status: SignalStatus; choice: StatusChoice },
): OnePage[] {
  const before = pages.flatMap(({ signals }) => signals).find(({ _id }) => _id === id)?.status;
  if (before === undefined || before === status) return [...pages];
  const stays = statusesOf(choice)?.includes(status) ?? true;
  return pages.map((page) => ({
    ...page,
    signals: stays
      ? page.signals.map((signal) => (signal._id === id ? { ...signal, status } : signal))
      : page.signals.filter(({ _id }) => _id !== id),
    totalCount: page.totalCount - (stays ? 0 : 1),
    statusCounts: {
      ...page.statusCounts,
      [before]: (page.statusCounts[before] ?? 1) - 1,
      [status]: (page.statusCounts[status] ?? 0) + 1,
    },
  }));
}

/**
 * The search of Traces that shows the traffic an alert rule measured when it fired: its agent, its period, its metric.
 */
export function tracesOfRule(
  rule: { metric: string; agentId: string | null; windowMinutes: number },
  firedAt: string,
): { agent?: string; source: "production"; from: string; to: string; rating?: "failing"; error?: true } {
  const end = Date.parse(firedAt);
  return {
    ...(rule.agentId !== null && { agent: rule.agentId }),
    source: "production",
    from: new Date(end - rule.windowMinutes * 60_000).toISOString(),
    to: new Date(end).toISOString(),
    ...(rule.metric === "failureRate" && { rating: "failing" as const }),
    ...(rule.metric === "errorCount" && { error: true as const }),
  };
}
