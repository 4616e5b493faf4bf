import type { Attack } from "../attack.ts";
import { forEachOf, untilOver } from "../attacker/at-once.ts";
import { idIn, type ReadAnswer } from "../attacker/client.ts";
import { join, type Packed, pack, packRepeated } from "../payloads/gzip-pieces.ts";

/** A stored object as large as a body may be, and the route that lists all of them. */
interface Kind {
  name: string;
  route: string;
  /** The JSON around the long text. `id` is the id of the first object, if there is one. */
  around: (number: number, id: string) => [head: string, tail: string];
  /** How the later ones are sent if they are versions of the first. */
  next?: (id: string) => { method: string; route: string };
  lists: (id: string) => string[];
  /** The number of characters, where the limit is below the size of the body. */
  chars?: number;
}

const evaluations = "/custom-agent-evaluations";
const documentChars = 9.4 * 1024 * 1024;
const kinds: readonly Kind[] = [
  {
    name: "datasets",
    route: `${evaluations}/datasets`,
    around: (number) => [`{"name":"large ${number}","questions":[{"main_question":{"query":"`, '"}}]}'],
    lists: () => [`${evaluations}/datasets`, "/export/datasets"],
  },
  {
    name: "versions of a dataset",
    route: `${evaluations}/datasets`,
    around: (number) => [`{"name":"large ${number}","questions":[{"main_question":{"query":"`, '"}}]}'],
    next: (id) => ({ method: "PUT", route: `${evaluations}/datasets/${id}` }),
    lists: (id) => [`/evaluate/datasets/${id}/versions`, "/export/dataset-versions"],
  },
  {
    name: "grading configs",
    route: `${evaluations}/evaluation-settings`,
    around: (number) => [`{"name":"large ${number}","thresholds":{"note":"`, '"}}'],
    lists: () => [
      `${evaluations}/evaluation-settings`,
      "/agent-monitoring/judge-scorers",
      "/export/evaluation-settings",
      `${evaluations}/models`,
    ],
  },
  {
    name: "versions of a grading config",
    route: `${evaluations}/evaluation-settings`,
    around: (number) => [`{"name":"large ${number}","thresholds":{"note":"`, '"}}'],
    next: (id) => ({ method: "PUT", route: `${evaluations}/evaluation-settings/${id}` }),
    lists: (id) => [`/evaluate/evaluationSettings/${id}/versions`, "/export/evaluation-settings-versions"],
  },
  {
    name: "prompts",
    route: `${evaluations}/prompts`,
    around: (number) => [`{"name":"large ${number}","text":"`, '"}'],
    lists: () => [`${evaluations}/prompts`, "/export/prompts", "/export/prompt-versions"],
  },
  {
    name: "tool schemas",
    route: "/evaluate/tool-schemas",
    around: (number) => [`{"name":"large ${number}","definition":"`, '"}'],
    lists: () => ["/evaluate/tool-schemas", "/export/tool-schemas"],
  },
  {
    name: "custom scorers",
    route: "/agent-monitoring/custom-evaluators",
    around: (number) => [`{"name":"large ${number}","kind":"code","sampleRate":0,"script":"//`, '"}'],
    lists: () => ["/agent-monitoring/custom-evaluators", "/export/custom-evaluators"],
    chars: 65_000,
  },
  {
    name: "patterns",
    route: "/monitor/patterns",
    around: (number) => [`{"name":"large ${number}","sampleRate":0,"includeTerms":["`, '"]}'],
    lists: () => ["/monitor/patterns", "/export/patterns"],
    chars: 4_000,
  },
  {
    name: "agents' models",
    route: "/ingest/traces",
    around: (number) => [`{"name":"agent ${number}","metadata":{"a":"`, '"}}'],
    lists: () => ["/agents", "/ingest/tracked-agents", "/agent-monitoring/sessions", "/export/agents"],
  },
];

/** The kinds in one run; datasets are always included. */
const chosenMax = 3;

/** Lists of documents of the largest size, read twelve times concurrently. */
export const largeDocuments: Attack = {
  name: "large-documents",
  does: "GET .../datasets with 48 of 9.4 MB, and other lists of its shape: versions, grading configs, prompts, tool schemas, patterns, exports; twelve at once.",
  setting: "projects",
  async prepare({ random, scaled, openTenant, clientOf, over }) {
    const client = clientOf(await openTenant("large documents"));
    const [datasets, ...others] = kinds as [Kind, ...Kind[]];
    const chosen = [datasets, ...Array.from({ length: chosenMax - 1 }, () => random.pick(others))];
    const lists: string[] = [];
    for (const kind of chosen) {
      const filling = packRepeated(kind.chars ?? documentChars, "All of it. ");
      const send = (number: number, id: string, method = "POST", route = kind.route): Promise<ReadAnswer | null> =>
        client.send({
          method,
          route,
          body: build(kind.around(number, id), filling),
          headers: { "content-encoding": "gzip" },
        });
      const id = idIn(await send(0, ""));
      const { method, route } = kind.next?.(id) ?? { method: "POST", route: kind.route };
      await forEachOf(scaled(47), 2, (number) => send(number + 1, id, method, route));
      lists.push(...kind.lists(id));
    }
    return () => untilOver({ atOnce: 12, over }, () => client.get(random.pick(lists)));
  },
};

function build([head, tail]: [string, string], filling: Packed): Buffer {
  return join(pack(head), filling, pack(tail)).zipped;
}
