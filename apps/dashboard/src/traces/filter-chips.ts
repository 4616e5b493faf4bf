import { formatDuration, formatTime } from "../ui/format.ts";
import { type FilterName, type TracesFilter, windows } from "./list-search.ts";

/** A filter that is set, as the page names it. */
export interface FilterChip {
  name: FilterName;
  text: string;
}

const ratings = { failing: "Rating fails", passing: "Rating passes", rated: "Rated" };
const sources = { production: "Production", eval: "Eval runs" };

/** The filters that are set, but for the search text, which stands in its field. `agentName` resolves an id. */
export function filterChips(filter: TracesFilter, agentName: (id: string) => string): FilterChip[] {
  const { agent, model, framework, source, error, from, to, rating, session, slow } = filter;
  const chips: (FilterChip | false)[] = [
    agent !== undefined && { name: "agent", text: `Agent ${agentName(agent)}` },
    model !== undefined && { name: "model", text: `Model ${model}` },
    source !== undefined && { name: "source", text: sources[source] },
    error === true && { name: "error", text: "Failed" },
    rating !== undefined && { name: "rating", text: ratings[rating] },
    from !== undefined && { name: "from", text: windows[from]?.label ?? `From ${formatTime(from)}` },
    to !== undefined && { name: "to", text: `Until ${formatTime(to)}` },
    framework !== undefined && { name: "framework", text: `Framework ${framework}` },
    session !== undefined && { name: "session", text: `Session ${session}` },
    slow !== undefined && { name: "slow", text: `${formatDuration(slow)} or longer` },
  ];
  return chips.filter((chip) => chip !== false);
}
