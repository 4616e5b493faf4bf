import {
  AgentsIcon,
  DatasetsIcon,
  GatesIcon,
  InboxIcon,
  JudgesIcon,
  OverviewIcon,
  PromptsIcon,
  RunsIcon,
  SessionsIcon,
  SettingsIcon,
  TracesIcon,
} from "../ui/icons.tsx";

/** The pages of the rail in order, in groups; `key` follows `g`. The bar of narrow windows shows the pages marked for it. */
export const places = [
  [
    { to: "/p/$projectId", label: "Overview", key: "o", icon: OverviewIcon, isInBar: true },
    { to: "/p/$projectId/traces", label: "Traces", key: "t", icon: TracesIcon, isInBar: true },
    { to: "/p/$projectId/sessions", label: "Sessions", key: "s", icon: SessionsIcon, isInBar: false },
  ],
  [{ to: "/p/$projectId/inbox", label: "Inbox", key: "i", icon: InboxIcon, isInBar: true }],
  [
    { to: "/p/$projectId/datasets", label: "Datasets", key: "d", icon: DatasetsIcon, isInBar: false },
    { to: "/p/$projectId/runs", label: "Runs", key: "r", icon: RunsIcon, isInBar: true },
    { to: "/p/$projectId/gates", label: "Gates", key: "c", icon: GatesIcon, isInBar: false },
  ],
  [
    { to: "/p/$projectId/judges", label: "Judges", key: "j", icon: JudgesIcon, isInBar: false },
    { to: "/p/$projectId/prompts", label: "Prompts", key: "p", icon: PromptsIcon, isInBar: false },
    { to: "/p/$projectId/agents", label: "Agents", key: "a", icon: AgentsIcon, isInBar: false },
  ],
  [{ to: "/p/$projectId/settings", label: "Settings", key: ",", icon: SettingsIcon, isInBar: false }],
] as const;

export type Place = (typeof places)[number][number];
export const allPlaces: readonly Place[] = places.flat();
