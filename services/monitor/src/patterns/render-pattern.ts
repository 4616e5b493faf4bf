import type { pattern } from "@touchstone/contracts";
import type { z } from "zod";
import type { BuiltinPattern } from "./builtin/builtin.ts";
import type { StoredPattern } from "./matching/pattern.ts";

type Shown = z.output<typeof pattern>;

/** A pattern of the project as the API shows it (completions 9.3). */
export function renderPattern({ id, key, document, createdAt, updatedAt }: StoredPattern): Shown {
  const { hasOwnConditions: _, conditions, ...shown } = document;
  return {
    _id: id,
    workspaceId: "local",
    key,
    source: "custom",
    ...shown,
    matchTarget: [...shown.matchTarget],
    includeTerms: [...shown.includeTerms],
    excludeTerms: [...shown.excludeTerms],
    agentIds: [...shown.agentIds],
    conditions: [...conditions],
    readOnly: false,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** A built-in pattern: its id is its key, and it has no conditions. */
export function renderBuiltin(builtin: BuiltinPattern, isEnabled: boolean): Shown {
  return {
    _id: builtin.key,
    workspaceId: "local",
    key: builtin.key,
    name: builtin.name,
    description: builtin.description,
    category: builtin.category,
    source: "builtIn",
    detectorKind: "regex",
    matchTarget: ["response"],
    matchMode: "any",
    includeTerms: [],
    excludeTerms: [],
    conditions: [],
    severity: builtin.severity,
    polarity: "failure",
    enabled: isEnabled,
    sampleRate: 1,
    scopeMode: "all",
    agentIds: [],
    readOnly: true,
    createdAt: null,
    updatedAt: null,
  };
}
