import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { bodyOf } from "../api/client.ts";
import { EditorPanel } from "../blocks/editor-panel.tsx";
import { differs, useUnsavedGuard } from "../blocks/leave-guard.tsx";
import { SeverityField } from "../blocks/severity-field.tsx";
import { type AlertRule, alertRulesQuery } from "../blocks/watching-queries.ts";
import { useApi } from "../shell/session.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { useToasts } from "../ui/toasts.tsx";
import { OneAgent } from "./agent-choice.tsx";
import {
  type AlertMetric,
  type AlertRuleDraft,
  bodyOfRule,
  draftOfRule,
  emptyRule,
  metrics,
  missingOfRule,
  missingOfTrial,
  unitWords,
} from "./alert-rule-draft.ts";
import { RuleTrial } from "./rule-trial.tsx";

/** Writes an alert rule. Without `rule` a new one, of `agentId` where it is given. */
export function AlertRuleEditor({
  rule,
  agentId,
  onClose,
}: {
  rule: AlertRule | null;
  agentId?: string | undefined;
  onClose(): void;
}) {
  const api = useApi();
  const queries = useQueryClient();
  const { say } = useToasts();
  // Only what the user changed: the other fields follow what others save.
  const [changes, setChanges] = useState<Partial<AlertRuleDraft>>({});
  const initial = rule === null ? { ...emptyRule, agentId: agentId ?? null } : draftOfRule(rule);
  const draft: AlertRuleDraft = { ...initial, ...changes };
  const unsaved = useUnsavedGuard(differs(draft, initial));
  const [isDeleting, setDeleting] = useState(false);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: alertRulesQuery(api).queryKey });
  const save = useMutation({
    mutationFn: async () => {
      const body = bodyOfRule(draft);
      if (rule === null) return bodyOf(api.POST("/api/v1/agent-monitoring/alert-rules", { body }));
      const params = { path: { alertRuleId: rule._id } };
      return bodyOf(api.PUT("/api/v1/agent-monitoring/alert-rules/{alertRuleId}", { params, body }));
    },
    onSuccess: async () => {
      await refresh();
      say(`The rule ${draft.name.trim()} is saved.`);
      unsaved.release();
      onClose();
    },
  });
  async function remove(): Promise<void> {
    if (rule === null) return;
    const params = { path: { alertRuleId: rule._id } };
    await api.DELETE("/api/v1/agent-monitoring/alert-rules/{alertRuleId}", { params });
    await refresh();
    say(`The rule ${rule.name} is deleted.`);
    unsaved.release();
    onClose();
  }
  const set = (change: Partial<AlertRuleDraft>): void => setChanges({ ...changes, ...change });
  return (
    <EditorPanel
      title={rule === null ? "New alert rule" : rule.name}
      onClose={onClose}
      onSave={() => save.mutate()}
      saveLabel={rule === null ? "Create the rule" : "Save"}
      isBusy={save.isPending}
      missing={missingOfRule(draft)}
      problem={save.error}
      further={
        rule !== null && (
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete
          </Button>
        )
      }
    >
      <TextField
        label="Name"
        autoFocus={rule === null}
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <Measure draft={draft} set={set} />
      <OneAgent label="Agent" value={draft.agentId} onChange={(chosen) => set({ agentId: chosen })} />
      <RuleTrial draft={draft} missing={missingOfTrial(draft)} />
      <Consequence draft={draft} set={set} />
      {unsaved.guard}
      {rule !== null && (
        <ConfirmDialog
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
          title={`Delete the rule ${rule.name}?`}
          verb="Delete 1 rule"
          onConfirm={remove}
        >
          It no longer measures anything. The signal it raised stays.
        </ConfirmDialog>
      )}
    </EditorPanel>
  );
}

interface Part {
  draft: AlertRuleDraft;
  set(change: Partial<AlertRuleDraft>): void;
}

/** The metric, its period and its threshold. */
function Measure({ draft, set }: Part) {
  const { label: _label, unit, hint } = metrics[draft.metric];
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-[2fr_1fr_1fr]">
        <SelectField
          label="Alert when"
          {...(hint !== "" && { hint })}
          value={draft.metric}
          onChange={({ target }) => set({ metric: target.value as AlertMetric })}
        >
          {(Object.keys(metrics) as AlertMetric[]).map((metric) => (
            <option key={metric} value={metric}>
              {metrics[metric].label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="is"
          value={draft.comparison}
          onChange={({ target }) => set({ comparison: target.value as AlertRuleDraft["comparison"] })}
        >
          <option value="above">above</option>
          <option value="below">below</option>
        </SelectField>
        <TextField
          label={`Threshold (${unitWords[unit]})`}
          inputMode="decimal"
          value={draft.threshold}
          onChange={({ target }) => set({ threshold: target.value })}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        <Minutes
          label="Within"
          value={draft.windowMinutes}
          most={1_440}
          onChange={(windowMinutes) => set({ windowMinutes })}
        />
        <TextField
          label="Of at least"
          hint="Traces or ratings; fewer decide nothing."
          type="number"
          min={1}
          value={draft.minSamples}
          onChange={({ target }) => set({ minSamples: target.value })}
        />
        <Minutes
          label="Then quiet for"
          value={draft.cooldownMinutes}
          most={10_080}
          onChange={(cooldownMinutes) => set({ cooldownMinutes })}
        />
      </div>
    </>
  );
}

function Minutes({
  label,
  value,
  most,
  onChange,
}: {
  label: string;
  value: string;
  most: number;
  onChange(value: string): void;
}) {
  return (
    <TextField
      label={label}
      hint={`Minutes, at most ${most}.`}
      type="number"
      min={1}
      max={most}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function Consequence({ draft, set }: Part) {
  return (
    <>
      <SeverityField label="Severity of the signal" value={draft.severity} onChange={(severity) => set({ severity })} />
      <CheckField
        label="Measure once a minute"
        checked={draft.enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
      />
    </>
  );
}
