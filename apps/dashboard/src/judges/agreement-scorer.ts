/** A live judge or group, as the agreement pages need it. */
export interface AgreementScorer {
  /** `online-eval:<id>` or `scorer-group:<id>`. */
  key: string;
  name: string;
  threshold: number | null;
  isSession: boolean;
}

interface Judge {
  _id: string;
  name: string;
  online: { profileId: string; name?: string | undefined; alertThreshold: number | null; scope: string } | null;
}
interface Group {
  _id: string;
  name: string;
  online: { alertThreshold: number | null; scope?: string | undefined } | null;
}

/** The live scorer for the id in a page's URL: a judge scorer's own id, or a group's. Null if it rates no live traffic. */
export function scorerOf(id: string, judges: readonly Judge[], groups: readonly Group[]): AgreementScorer | null {
  const judge = judges.find(({ _id }) => _id === id);
  if (judge?.online != null) {
    const { profileId, name, alertThreshold, scope } = judge.online;
    return {
      key: `online-eval:${profileId}`,
      name: name ?? judge.name,
      threshold: alertThreshold,
      isSession: scope === "session",
    };
  }
  const group = groups.find(({ _id }) => _id === id);
  if (group?.online == null) return null;
  return {
    key: `scorer-group:${id}`,
    name: group.name,
    threshold: group.online.alertThreshold,
    isSession: group.online.scope === "session",
  };
}
