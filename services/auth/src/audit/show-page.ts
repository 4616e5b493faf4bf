import type { RecordedAct } from "./audit-reader.ts";

/** A page of acts as it is answered, of one more than it may hold: `nextCursor` is null on the last one. */
export function showPage<Act extends RecordedAct>(found: readonly Act[], limit: number) {
  const page = found.slice(0, limit);
  const nextCursor = found.length > limit ? (page.at(-1)?.id ?? null) : null;
  return { events: page.map(showAct), nextCursor };
}

function showAct<Act extends RecordedAct>({ id, createdAt, ...act }: Act) {
  return { _id: id, ...act, createdAt: createdAt.toISOString() };
}
