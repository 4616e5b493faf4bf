import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { bodyOf } from "../api/client.ts";
import { type Pattern, patternsQuery } from "../blocks/watching-queries.ts";
import { useAdministers } from "../shell/role.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Badge } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { SidePanel } from "../ui/side-panel.tsx";
import { Loaded } from "../ui/states.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { useAgentName } from "./agent-choice.tsx";
import { describePattern, enabledAfter } from "./pattern-draft.ts";
import { PatternEditor } from "./pattern-editor.tsx";
import { newItem } from "./rules.ts";
import { TabBar } from "./tab-bar.tsx";

/** What traces are looked at for: of the project, or with `agentId` what one agent's traces are looked at for. */
export function PatternsTab({
  agentId,
  open,
  onOpen,
}: {
  agentId?: string;
  /** The id of a pattern, or `new`. */
  open: string | undefined;
  onOpen(id: string | undefined): void;
}) {
  const patterns = useQuery(patternsQuery(useApi()));
  const create = (): void => onOpen(newItem);
  const close = (): void => onOpen(undefined);
  useShortcuts("Patterns", [{ keys: "n", label: "New pattern", run: create }]);
  return (
    <Loaded query={patterns}>
      {(all) => {
        const shown = all.filter((pattern) => agentId === undefined || looksAt(pattern, agentId));
        const chosen = all.find(({ _id }) => _id === open);
        return (
          <div className="flex min-h-0 flex-1">
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              <TabBar
                actions={
                  <Button look="primary" onClick={create}>
                    <PlusIcon /> Pattern
                  </Button>
                }
              >
                A trace that matches a failure pattern raises a signal.
              </TabBar>
              <DataTable
                label="Patterns"
                rows={shown}
                columns={columns}
                rowKey={({ _id }) => _id}
                activeKey={open}
                onActivate={({ _id }) => onOpen(_id)}
                isSelected={({ _id }) => _id === open}
                rowHeight={52}
                cardHeight={96}
                card={(pattern) => <PatternCard pattern={pattern} />}
              />
            </div>
            {open === newItem && <PatternEditor pattern={null} agentId={agentId} onClose={close} />}
            {chosen?.source === "custom" && <PatternEditor key={chosen._id} pattern={chosen} onClose={close} />}
            {chosen?.source === "builtIn" && <BuiltInPanel pattern={chosen} all={all} onClose={close} />}
          </div>
        );
      }}
    </Loaded>
  );
}

const looksAt = ({ scopeMode, agentIds }: Pattern, agentId: string): boolean =>
  scopeMode === "all" || agentIds.includes(agentId);

const columns: readonly Column<Pattern>[] = [
  {
    key: "name",
    header: "Pattern",
    width: "minmax(12rem, 3fr)",
    cell: (pattern) => (
      <>
        <div className="truncate font-medium">{pattern.name}</div>
        <div className="truncate text-soft">{sentenceOf(pattern)}</div>
      </>
    ),
  },
  { key: "agents", header: "Agents", width: "minmax(6rem, 1fr)", cell: (pattern) => <Scope pattern={pattern} /> },
  {
    key: "match",
    header: "A match is",
    width: "7rem",
    cell: ({ polarity, severity }) => (polarity === "proper" ? "counted" : severity),
  },
  { key: "state", header: "State", width: "5rem", cell: ({ enabled }) => <State isOn={enabled} /> },
];

const sentenceOf = (pattern: Pattern): string =>
  pattern.source === "builtIn" || pattern.conditions.length === 0
    ? (pattern.description ?? "")
    : describePattern(pattern);

function Scope({ pattern }: { pattern: Pattern }) {
  const nameOf = useAgentName();
  if (pattern.scopeMode === "all") return <span className="text-soft">all agents</span>;
  return <span title={pattern.agentIds.map(nameOf).join(", ")}>{pattern.agentIds.map(nameOf).join(", ")}</span>;
}

function State({ isOn }: { isOn: boolean }) {
  return isOn ? <Badge look="good">on</Badge> : <Badge>off</Badge>;
}

function PatternCard({ pattern }: { pattern: Pattern }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{pattern.name}</span>
        <State isOn={pattern.enabled} />
      </div>
      <div className="truncate text-soft">{sentenceOf(pattern)}</div>
      <div className="text-faint">
        {pattern.polarity === "proper" ? "counted" : pattern.severity} · <Scope pattern={pattern} />
      </div>
    </div>
  );
}

interface Switched {
  key: string;
  name: string;
  /** From now on. */
  enabled: boolean;
}

/** A pattern that comes with Touchstone is switched on and off; it cannot be changed. */
function BuiltInPanel({ pattern, all, onClose }: { pattern: Pattern; all: readonly Pattern[]; onClose(): void }) {
  const api = useApi();
  const queries = useQueryClient();
  const { say, warn } = useToasts();
  const { may, why } = useAdministers();
  const toggle = useMutation({
    // Undo may come when another pattern is open, or none, and others were switched meanwhile.
    mutationFn: ({ key, enabled }: Switched) => {
      const known = queries.getQueryData(patternsQuery(api).queryKey) ?? all;
      const enabledBuiltinPatterns = enabledAfter(known, key, enabled);
      return bodyOf(
        api.PUT("/api/v1/agent-monitoring/settings/monitoring-defaults", { body: { enabledBuiltinPatterns } }),
      );
    },
    onSuccess: async (_answer, { key, name, enabled }) => {
      await queries.invalidateQueries({ queryKey: patternsQuery(api).queryKey });
      const undo = () => toggle.mutate({ key, name, enabled: !enabled });
      say(`${name} is ${enabled ? "on" : "off"}.`, undo, "built-in");
    },
    onError: warn,
  });
  return (
    <SidePanel title={pattern.name} onClose={onClose}>
      <div className="flex flex-col items-start gap-4">
        <p className="m-0">{pattern.description}</p>
        <p className="m-0 text-soft">
          It comes with Touchstone and looks at the answers of all agents. A match is a signal of severity{" "}
          {pattern.severity}.
        </p>
        <Button
          look={pattern.enabled ? "plain" : "primary"}
          isBusy={toggle.isPending}
          disabled={!may}
          hint={why}
          onClick={() => toggle.mutate({ key: pattern.key, name: pattern.name, enabled: !pattern.enabled })}
        >
          {pattern.enabled ? "Switch it off" : "Switch it on"}
        </Button>
      </div>
    </SidePanel>
  );
}
