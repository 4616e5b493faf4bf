import { formatDelta } from "./format.ts";

/** A difference with its sign, so that a loss and a gain differ in more than colour. */
export function Delta({ value }: { value: number | null }) {
  const text = formatDelta(value);
  if (value === null || text === "0") return <span className="text-soft tabular-nums">{text}</span>;
  return <span className={value < 0 ? "text-bad tabular-nums" : "text-good tabular-nums"}>{text}</span>;
}
