import type { onlineEvaluatorReply } from "@touchstone/contracts";
import { AppError, type Call, requireProject } from "@touchstone/service-kit";
import type { z } from "zod";
import type { ConfigStore, StoredConfig } from "../../graders/config-store.ts";

/** The config whose live profile a path names. Throws 404 when there is none. */
export async function requireEvaluatorConfig(call: Call, configs: Pick<ConfigStore, "live">): Promise<StoredConfig> {
  const id = call.params.onlineEvaluatorId;
  for await (const config of configs.live(requireProject(call))) if (config.online?.profileId === id) return config;
  return evaluatorNotFound();
}

function evaluatorNotFound(): never {
  throw new AppError("not_found", "Online evaluator not found");
}

/** A live profile as clients read it; none where the config has none. */
export function renderEvaluators(config: StoredConfig): z.input<typeof onlineEvaluatorReply>["evaluator"][] {
  const { id, document, online, createdAt } = config;
  if (online === null) return [];
  const { profileId, name, builtinKey: _, ...settings } = online;
  return [
    {
      _id: profileId,
      name: name ?? (JSON.parse(document) as { name: string }).name,
      evaluationSettingsId: id,
      ...settings,
      agentIds: [...settings.agentIds],
      createdAt: createdAt.toISOString(),
    },
  ];
}

/** The same of a config that was just stored with one. */
export function renderEvaluator(config: StoredConfig | null): z.input<typeof onlineEvaluatorReply> {
  const [evaluator] = config === null ? [] : renderEvaluators(config);
  return { evaluator: evaluator ?? evaluatorNotFound() };
}
