import { isStorable, limits } from "@touchstone/contracts";
import { AppError, isJsonObject } from "@touchstone/service-kit";

/** The settings with which a judge or a group judges live traffic (completions 4.2, 4.4). */
export interface LiveProfile {
  enabled: boolean;
  /** The share of the traffic that is judged, 0 to 1. */
  sampleRate: number;
  /** A rating below it alerts; null = never. */
  alertThreshold: number | null;
  severity: "low" | "medium" | "high" | "critical";
  scope: "trace" | "session";
  /** A session is judged after this idle time. */
  idleSeconds: number;
}

/** A judge scorer's `online` section. */
export interface OnlineProfile extends LiveProfile {
  profileId: string;
  /** The online evaluator's name; absent = the judge's. */
  name?: string;
  scopeMode: "all" | "selected";
  /** The agents it is limited to when `scopeMode` is `selected`. */
  agentIds: readonly string[];
  /** Only for the judge that comes with every project. */
  builtinKey?: string;
}

const liveDefaults: LiveProfile = {
  enabled: true,
  sampleRate: 0.1,
  alertThreshold: 5,
  severity: "medium",
  scope: "trace",
  idleSeconds: 120,
};

/** Throws `bad_request` for a value of another type. */
type Reader<Value> = (value: unknown, name: string) => Value;

const readLive = {
  enabled: oneOf([true, false], "a boolean"),
  sampleRate: numberBetween(0, 1),
  alertThreshold: (value, name) =>
    value === null ? null : numberBetween(limits.ratingMin, limits.ratingMax)(value, name),
  severity: oneOf(["low", "medium", "high", "critical"], "one of low, medium, high, critical"),
  scope: oneOf(["trace", "session"], '"trace" or "session"'),
  idleSeconds: (value, name) => {
    const isFit = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 86_400;
    return isFit ? (value as number) : refuse(name, "an integer between 1 and 86400");
  },
} satisfies { [Name in keyof LiveProfile]: Reader<LiveProfile[Name]> };

const readScope = {
  name: (value, name): string => {
    const isName = typeof value === "string" && value.trim() !== "" && value.length <= limits.graderNameMaxChars;
    return isName && isStorable(value) ? value : refuse(name, "a name in plain text");
  },
  scopeMode: oneOf(["all", "selected"], '"all" or "selected"'),
  agentIds: (value, name): string[] => {
    const isList = Array.isArray(value) && value.every((id) => typeof id === "string");
    if (!isList) return refuse(name, "an array of strings");
    if (value.length > limits.onlineAgentsMax) refuse(name, `at most ${limits.onlineAgentsMax} ids`);
    return [...new Set<string>(value)];
  },
} satisfies { name: Reader<string>; scopeMode: Reader<OnlineProfile["scopeMode"]>; agentIds: Reader<string[]> };

/** A group's live profile: sent values, else stored ones, else defaults. */
export function mergeLiveProfile(sent: unknown, stored: LiveProfile | null): LiveProfile {
  return { ...liveDefaults, ...stored, ...readSent(sent, readLive) };
}

/** The same for a judge scorer. A new one gets an id. */
export function mergeOnlineProfile(sent: unknown, stored: OnlineProfile | null, createId: () => string): OnlineProfile {
  const base: OnlineProfile = stored ?? { profileId: createId(), ...liveDefaults, scopeMode: "all", agentIds: [] };
  return { ...base, ...readSent(sent, { ...readLive, ...readScope }) };
}

/** The sent members that `readers` know. A member that is null or absent changes nothing, except the threshold. */
function readSent<Readers extends Record<string, Reader<unknown>>>(
  sent: unknown,
  readers: Readers,
): { [Name in keyof Readers]?: ReturnType<Readers[Name]> } {
  if (!isJsonObject(sent)) throw new AppError("bad_request", "online must be an object");
  const said = Object.entries(readers).filter(
    ([name]) => sent[name] !== undefined && (sent[name] !== null || name === "alertThreshold"),
  );
  return Object.fromEntries(said.map(([name, read]) => [name, read(sent[name], name)])) as never;
}

function oneOf<const Value>(values: readonly Value[], what: string): Reader<Value> {
  return (value, name) => (values.includes(value as Value) ? (value as Value) : refuse(name, what));
}

function numberBetween(min: number, max: number): Reader<number> {
  return (value, name) =>
    typeof value === "number" && value >= min && value <= max
      ? value
      : refuse(name, `a number between ${min} and ${max}`);
}

function refuse(name: string, what: string): never {
  throw new AppError("bad_request", `${name} must be ${what}`);
}
