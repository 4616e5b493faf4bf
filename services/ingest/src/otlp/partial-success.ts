const messageCharsMax = 1000;
const reasonsListedMax = 5;
const nameCharsMax = 40;

/** The noun for items of an export. */
type ItemNoun = "span" | "log record";

/** The first item with a reason: the name of the span or event, and its scope. */
export interface ItemLabel {
  name: string;
  scope: string;
}

/** Collects the partial-success message of one export (otlp 2). */
export interface ExportReport {
  /** The item is not stored. `foreign`: it has no id or no readable bytes, as if it belonged to another signal. */
  reject(reason: string, first: ItemLabel, options?: { foreign: boolean }): void;
  /** The item is stored with the change that the reason describes. */
  warn(reason: string, first: ItemLabel): void;
  /** A remark about the export as a whole. */
  remark(text: string): void;
  rejectedCount(): number;
  /** The reason of the first rejection, without text from the sender; null if none was rejected. */
  firstReason(): string | null;
  /**
   * Null if there is nothing to report. Otherwise at most 1,000 characters and five distinct reasons, rejections first:
   * `3 of 512 spans rejected: 2x traceId is all zeros (first: span "chat", scope "ai"); 1x …; warnings: 1x …`.
   */
  message(itemCount: number): string | null;
}

interface Tally {
  reason: string;
  count: number;
  first: ItemLabel;
}

export const logsHint = "this looks like an OTLP logs payload; send it to …/v1/logs";

export function createExportReport(noun: ItemNoun): ExportReport {
  const rejections = new Map<string, Tally>();
  const warnings = new Map<string, Tally>();
  const remarks: string[] = [];
  let rejected = 0;
  let foreign = 0;

  return {
    reject(reason, first, options) {
      rejected += 1;
      if (options?.foreign) foreign += 1;
      count(rejections, reason, first);
    },
    warn: (reason, first) => count(warnings, reason, first),
    remark: (text) => void remarks.push(text),
    rejectedCount: () => rejected,
    firstReason: () => rejections.keys().next().value ?? null,
    message(itemCount) {
      const describe = describer(noun);
      const listed = [...rejections.values()].slice(0, reasonsListedMax);
      const listedWarnings = [...warnings.values()].slice(0, reasonsListedMax - listed.length);
      const unlisted = rejections.size + warnings.size - listed.length - listedWarnings.length;
      const parts: string[] = [];
      if (rejected > 0) parts.push(`${rejected} of ${itemCount} ${noun}s rejected: ${listed.map(describe).join("; ")}`);
      if (listedWarnings.length > 0) parts.push(`warnings: ${listedWarnings.map(describe).join("; ")}`);
      if (unlisted > 0) parts.push(`${unlisted} more reasons`);

      const endings = noun === "span" && foreign > 0 && foreign === itemCount ? [...remarks, logsHint] : remarks;
      if (parts.length + endings.length === 0) return null;
      const ending = endings.join("; ").slice(0, messageCharsMax);
      const room = messageCharsMax - ending.length - 2;
      const details = parts.join("; ").slice(0, Math.max(0, room));
      return [details, ending].filter((text) => text !== "").join("; ");
    },
  };
}

function count(tallies: Map<string, Tally>, reason: string, first: ItemLabel): void {
  const tally = tallies.get(reason);
  if (tally === undefined) tallies.set(reason, { reason, count: 1, first });
  else tally.count += 1;
}

function describer(noun: ItemNoun): (tally: Tally) => string {
  const named = noun === "span" ? "span" : "event";
  return ({ reason, count: times, first }) =>
    `${times}x ${reason} (first: ${named} ${quote(first.name)}, scope ${quote(first.scope)})`;
}

function quote(name: string): string {
  return JSON.stringify(name.length > nameCharsMax ? `${name.slice(0, nameCharsMax)}…` : name);
}
