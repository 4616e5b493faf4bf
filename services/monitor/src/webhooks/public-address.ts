/** The address at which users reach the installation. */
export interface PublicAddress {
  /** Without a trailing slash. */
  url: string;
  /** True if links may lead to pages. */
  hasDashboard: boolean;
}

/** The subject of a message, for its links. */
export interface LinkedThing {
  projectId: string;
  signalId: string | null;
  /** Only for a gate: the run that failed it. */
  runId?: string | undefined;
}

/**
 * The links of a message: `link` for people, to the dashboard if there is one, and `apiLink` to the API's view of a signal,
 * which needs a key. Empty without a public address.
 */
export function linksOf(
  { projectId, signalId, runId }: LinkedThing,
  address: PublicAddress | null,
): { baseUrl?: string; link?: string; apiLink?: string } {
  if (address === null) return {};
  const { url: baseUrl, hasDashboard } = address;
  const apiLink = signalId === null ? undefined : `${baseUrl}/api/v1/monitor/signals/${signalId}`;
  const page = pageOf({ signalId, runId });
  const link = hasDashboard && page !== null ? `${baseUrl}/p/${projectId}${page}` : apiLink;
  return { baseUrl, ...(link !== undefined && { link }), ...(apiLink !== undefined && { apiLink }) };
}

function pageOf({ signalId, runId }: Pick<LinkedThing, "signalId" | "runId">): string | null {
  if (signalId !== null) return `/inbox?open=${signalId}`;
  return runId === undefined ? null : `/runs/${runId}`;
}
