import { useQuery } from "@tanstack/react-query";
import { type AlertRule, alertRulesQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { type Column, DataTable } from "../ui/data-table.tsx";
import { PlusIcon } from "../ui/icons.tsx";
import { Badge, Time } from "../ui/page.tsx";
import { useShortcuts } from "../ui/shortcuts.tsx";
import { EmptyState, Loaded } from "../ui/states.tsx";
import { useAgentName } from "./agent-choice.tsx";
import { describeRule } from "./alert-rule-draft.ts";
import { AlertRuleEditor } from "./alert-rule-editor.tsx";
import { newItem } from "./rules.ts";
import { TabBar } from "./tab-bar.tsx";

/** The metrics that are checked once a minute: of the project, or with `agentId` of one agent. */
export function AlertRulesTab({
  agentId,
  open,
  onOpen,
}: {
  agentId?: string;
  /** The id of a rule, or `new`. */
  open: string | undefined;
  onOpen(id: string | undefined): void;
}) {
  const rules = useQuery(alertRulesQuery(useApi()));
  const create = (): void => onOpen(newItem);
  const close = (): void => onOpen(undefined);
  useShortcuts("Alert rules", [{ keys: "n", label: "New alert rule", run: create }]);
  const button = (
    <Button look="primary" onClick={create}>
      <PlusIcon /> Alert rule
    </Button>
  );
  return (
    <Loaded query={rules}>
      {(all) => {
        const shown = all.filter((rule) => agentId === undefined || rule.agentId === null || rule.agentId === agentId);
        const chosen = all.find(({ _id }) => _id === open);
        return (
          <div className="flex min-h-0 flex-1">
            <div className="flex min-h-0 min-w-0 flex-1 flex-col">
              {shown.length === 0 ? (
                <EmptyState title="No alert rules" actions={button}>
                  A rule measures many traces together, once a minute: the share that fails, the latency, the mean
                  rating. Beyond its threshold it raises a signal, which webhooks tell.
                </EmptyState>
              ) : (
                <>
                  <TabBar actions={button}>A rule that is broken raises a signal; webhooks tell it.</TabBar>
                  <DataTable
                    label="Alert rules"
                    rows={shown}
                    columns={columns}
                    rowKey={({ _id }) => _id}
                    activeKey={open}
                    onActivate={({ _id }) => onOpen(_id)}
                    isSelected={({ _id }) => _id === open}
                    rowHeight={52}
                    cardHeight={96}
                    card={(rule) => <RuleCard rule={rule} />}
                  />
                </>
              )}
            </div>
            {open === newItem && <AlertRuleEditor rule={null} agentId={agentId} onClose={close} />}
            {chosen && <AlertRuleEditor key={chosen._id} rule={chosen} onClose={close} />}
          </div>
        );
      }}
    </Loaded>
  );
}

const columns: readonly Column<AlertRule>[] = [
  {
    key: "name",
    header: "Rule",
    width: "minmax(12rem, 3fr)",
    cell: (rule) => (
      <>
        <div className="truncate font-medium">{rule.name}</div>
        <div className="truncate text-soft">{describeRule(rule)}</div>
      </>
    ),
  },
  { key: "agent", header: "Agent", width: "minmax(6rem, 1fr)", cell: (rule) => <AgentOf rule={rule} /> },
  { key: "severity", header: "Severity", width: "5rem", cell: ({ severity }) => severity },
  {
    key: "fired",
    header: "Fired",
    width: "6rem",
    align: "right",
    cell: ({ lastFiredAt }) => (lastFiredAt === null ? "never" : <Time iso={lastFiredAt} isAge />),
  },
  { key: "state", header: "State", width: "4.5rem", cell: (rule) => <State rule={rule} /> },
];

function AgentOf({ rule }: { rule: AlertRule }) {
  return <>{useAgentName()(rule.agentId)}</>;
}

function State({ rule: { enabled } }: { rule: AlertRule }) {
  return enabled ? <Badge look="good">on</Badge> : <Badge>off</Badge>;
}

function RuleCard({ rule }: { rule: AlertRule }) {
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{rule.name}</span>
        <State rule={rule} />
      </div>
      <div className="truncate text-soft">{describeRule(rule)}</div>
      <div className="text-faint">
        {rule.severity} · <AgentOf rule={rule} /> ·{" "}
        {rule.lastFiredAt === null ? "never fired" : <Time iso={rule.lastFiredAt} isAge />}
      </div>
    </div>
  );
}
