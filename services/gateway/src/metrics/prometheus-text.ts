/** Metrics of one family in the text format: its comments, then its samples. */
interface Family {
  comments: string[];
  samples: string[];
}

/** Joins Prometheus texts: each family is described once, followed by the samples of all texts. */
export class PrometheusText {
  readonly #families = new Map<string, Family>();

  /** Adds a text; `labels` are put on each of its samples, before its own labels. */
  add(text: string, labels: Readonly<Record<string, string>> = {}): void {
    const extra = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
    let family: Family = { comments: [], samples: [] };
    for (const line of text.split("\n")) {
      const comment = /^# (HELP|TYPE) (\S+)/.exec(line);
      if (comment !== null) {
        family = this.#familyOf(comment[2] as string);
        if (!family.comments.some((known) => known.startsWith(`# ${comment[1]} `))) family.comments.push(line);
      } else if (line !== "" && !line.startsWith("#")) {
        family.samples.push(withLabels(line, extra));
      }
    }
  }

  toString(): string {
    return [...this.#families.values()].map((each) => `${[...each.comments, ...each.samples].join("\n")}\n`).join("\n");
  }

  #familyOf(name: string): Family {
    const known = this.#families.get(name) ?? { comments: [], samples: [] };
    this.#families.set(name, known);
    return known;
  }
}

/** `name{a="b"} 1` or `name 1`. */
function withLabels(sample: string, extra: readonly string[]): string {
  if (extra.length === 0) return sample;
  const [, name = "", own = "", rest = ""] = /^([^\s{]+)(?:\{(.*)\})?(\s.*)$/.exec(sample) ?? [];
  return `${name}{${[...extra, ...(own === "" ? [] : [own])].join(",")}}${rest}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
