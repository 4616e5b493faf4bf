interface Member {
  kind: "judge" | "pattern" | "custom";
  refId: string;
  weight: number;
  gate: boolean;
}

/** The members of a group by name, with their part in the rating: `weight 2`, `must pass`, or both. */
export function nameMembers(
  members: readonly Member[],
  judges: readonly { _id: string; name: string }[],
): { refId: string; kind: Member["kind"]; name: string; role: string }[] {
  return members.map(({ kind, refId, weight, gate }) => ({
    refId,
    kind,
    name: (kind === "judge" ? judges.find(({ _id }) => _id === refId)?.name : undefined) ?? `${kind} ${refId}`,
    role: [gate && "must pass", (weight > 0 || !gate) && `weight ${weight}`].filter(Boolean).join(", "),
  }));
}
