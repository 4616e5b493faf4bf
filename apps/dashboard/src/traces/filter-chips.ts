import { formatDuration, formatTime } from "../ui/format.ts";
import { windows } from "../ui/time-windows.ts";
import { type FilterName, outcomeOf, outcomes, sources, type TracesFilter } from "./list-search.ts";

/** An active filter with its label. */
export interface FilterChip {
  name: FilterName;
  text: string;
  /** The bar shows a menu for it in a wide window. */
  isInMenu: boolean;
}

/** The active filters, except for the search text, which is in its field. `agentName` resolves an id. */
export function filterChips(filter: TracesFilter, agentName: (id: string) => string): FilterChip[] {
  const { agent, model, usedModel, framework, source, error, from, to, session, slow, prompt, promptVersion } = filter;
  const outcome = outcomeOf(filter);
  const chips: (FilterChip | false)[] = [
    agent !== undefined && { name: "agent", text: `Agent ${agentName(agent)}`, isInMenu: true },
    model !== undefined && { name: "model", text: `Model ${model}`, isInMenu: true },
    usedModel !== undefined && { name: "usedModel", text: `Used ${usedModel}`, isInMenu: false },
    filter.noModel === true && { name: "noModel", text: "No model named", isInMenu: false },
    source !== undefined && { name: "source", text: sources[source], isInMenu: true },
    outcome !== undefined && {
      name: outcome === "error" ? "error" : "rating",
      text: outcomes[outcome],
      isInMenu: true,
    },
    error === true && outcome !== "error" && { name: "error", text: outcomes.error, isInMenu: false },
    from !== undefined && { name: "from", ...fromText(from) },
    to !== undefined && { name: "to", text: `Until ${formatTime(to)}`, isInMenu: false },
    framework !== undefined && { name: "framework", text: `Framework ${framework}`, isInMenu: false },
    session !== undefined && { name: "session", text: `Session ${session}`, isInMenu: false },
    prompt !== undefined && {
      name: "prompt",
      text: `Prompt ${prompt}${promptVersion === undefined ? "" : `, version ${promptVersion}`}`,
      isInMenu: false,
    },
    slow !== undefined && { name: "slow", text: `${formatDuration(slow)} or longer`, isInMenu: false },
  ];
  return chips.filter((chip) => chip !== false);
}

function fromText(from: string): Pick<FilterChip, "text" | "isInMenu"> {
  const window = windows[from];
  return window === undefined
    ? { text: `From ${formatTime(from)}`, isInMenu: false }
    : { text: window.label, isInMenu: true };
}
