import { Presets, SingleBar } from "cli-progress";

/** Shows how far a command is. */
export interface ProgressView {
  update(value: number, figures?: Readonly<Record<string, number | string>>): void;
  /** A line beside the progress, which does not break the bar. */
  note(text: string): void;
  stop(): void;
}

export interface ProgressOptions {
  total: number;
  /** What it says. `{value}`, `{total}` and the names of figures in braces become their values. */
  format: string;
  note(text: string): void;
  isTerminal: boolean;
  /** How often a line may come where there is no terminal. */
  lineEveryMs?: number;
}

const tenSecondsMs = 10_000;
const clearLine = "\r\u001b[2K";

/** A bar on a terminal; elsewhere a line at most every ten seconds, so that a log stays readable. */
export function showProgress(options: ProgressOptions): ProgressView {
  const { total, format, note, isTerminal, lineEveryMs = tenSecondsMs } = options;
  if (isTerminal) {
    const stream = process.stderr;
    const bar = new SingleBar({ format: `{bar} ${format}`, stream, hideCursor: true }, Presets.shades_classic);
    const names = [...format.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    bar.start(
      total,
      0,
      Object.fromEntries(names.filter((name) => name !== "value" && name !== "total").map((name) => [name, 0])),
    );
    return {
      update: (value, figures) => bar.update(value, figures),
      note: (text) => note(`${clearLine}${text}`),
      stop: () => bar.stop(),
    };
  }
  let lastMs = performance.now();
  return {
    update(value, figures) {
      if (performance.now() - lastMs < lineEveryMs) return;
      lastMs = performance.now();
      const all: Record<string, unknown> = { ...figures, value, total };
      note(format.replace(/\{(\w+)\}/g, (_, name: string) => String(all[name])));
    },
    note,
    stop() {},
  };
}
