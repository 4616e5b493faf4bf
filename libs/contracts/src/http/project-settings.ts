import { z } from "zod";
import { limits } from "../limits.ts";
import { filledText, storable } from "./texts.ts";

/** The providers whose keys an organization stores. */
export const llmProviders = ["openai", "anthropic", "gemini"] as const;
export type LlmProvider = (typeof llmProviders)[number];

/** A stored key as it is displayed: its first 3 and last 4 characters, or four bullets. Null: none is stored. */
const shownKey = z.object({ configured: z.boolean(), masked: z.string().nullable() });
const shownKeys = z.object({ openai: shownKey, anthropic: shownKey, gemini: shownKey });
export type ShownLlmKeys = z.infer<typeof shownKeys>;

/** The keys themselves, between services only. */
export const providerKeys = z.object({
  openai: z.string().nullable(),
  anthropic: z.string().nullable(),
  gemini: z.string().nullable(),
});
export type ProviderKeys = z.infer<typeof providerKeys>;

/** The initial settings of a project's monitors (completions 9.2). */
export const monitoringDefaults = z.object({
  coverageMode: z.enum(["all", "sampled"]),
  sampleRate: z.number().min(0).max(1),
  /** 0 and less keep traces indefinitely. */
  retentionDays: z.number().int(),
  latencyThresholdMs: z.number(),
  topicsEnabled: z.boolean(),
  topicsSampleRate: z.number().min(0).max(1),
  coherenceSweepEnabled: z.boolean(),
  enabledBuiltinPatterns: z.array(z.string()),
});
export type MonitoringDefaults = z.infer<typeof monitoringDefaults>;

const platformModel = z
  .string()
  .nullable()
  .describe("Asked where a request names no model; null: platformModelDefault");

/** `GET /agent-monitoring/settings` (completions 11.3). `llm` lists stored keys, not those of the environment. */
export const projectSettings = z.object({
  apiKey: z.string().nullable(),
  monitoringDefaults,
  platformModel,
  platformModelDefault: z.string(),
  llm: shownKeys,
});

/** Auth's part of it; null: no such project. */
export const accessSettingsReply = z.object({
  settings: z.object({ apiKey: z.string(), platformModel: z.string().nullable(), llm: shownKeys }).nullable(),
});

/** Longer than any provider's. */
const llmKeyMaxChars = 500;
/** It becomes a header, which takes visible ASCII and nothing else. */
const submittedKey = z
  .string()
  .trim()
  .refine((key) => key.length <= llmKeyMaxChars && /^[\x21-\x7e]+$/.test(key))
  .nullable()
  .optional()
  .describe("null removes the stored key");
const keySentence = (member: string): string =>
  `${member} must be a key of at most ${llmKeyMaxChars} visible ASCII characters, or null to remove the stored one`;

export const submittedLlmKeys = z.object({
  openaiApiKey: submittedKey,
  anthropicApiKey: submittedKey,
  geminiApiKey: submittedKey,
});
export const submittedLlmKeysSentences = {
  openaiApiKey: keySentence("openaiApiKey"),
  anthropicApiKey: keySentence("anthropicApiKey"),
  geminiApiKey: keySentence("geminiApiKey"),
} as const;
export const llmKeysReply = z.object({ llm: shownKeys });
export const regeneratedKeyReply = z.object({ apiKey: z.string() });
export const submittedPlatformModel = z.object({
  model: filledText.max(limits.indexedTextMaxChars).check(storable).trim().nullable(),
});
const modelBound = `model must be storable text of at most ${limits.indexedTextMaxChars} characters`;
export const submittedPlatformModelSentences = {
  model: { too_big: modelBound, custom: modelBound, otherwise: "model must be a model's id, or null" },
} as const;
export const platformModelReply = z.object({ platformModel });
