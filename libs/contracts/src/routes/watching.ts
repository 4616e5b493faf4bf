import { agentParams } from "../http/agents.ts";
import { documentListQuery } from "../http/list-page.ts";
import {
  changedPattern,
  describedRegex,
  describedRegexSentences,
  generatedRegex,
  patternList,
  patternParams,
  patternReply,
  patternTrialReply,
  submittedPattern,
  triedPattern,
} from "../http/patterns.ts";
import {
  agentList,
  agentListQuery,
  changedMonitoringDefaults,
  changedProfile,
  changedTracking,
  changedTrackingSentences,
  monitoringDefaultsReply,
  monitoringDefaultsSentences,
  profileReply,
  profileSentences,
  trackedAgentList,
} from "../http/profiles.ts";
import {
  changedSignal,
  changedSignalSentences,
  signalDetail,
  signalEvents,
  signalEventsQuery,
  signalFeedbackReply,
  signalFeedbackSentences,
  signalList,
  signalParams,
  signalReply,
  signalsQuery,
  submittedSignalFeedback,
} from "../http/signals.ts";
import { judged } from "../judged-body.ts";
import { deadlines } from "../limits.ts";
import type { Route } from "../route.ts";
import { byAdmin, byMember, checkedBody, dataPlane, error, json, prefix, wrongPage } from "./route-parts.ts";

const monitor = { ...dataPlane, owner: "monitor" } as const;

const patternsPath = `${prefix}/monitor/patterns`;
const patternPath = `${patternsPath}/{patternId}`;
const ownPatternPath = `${prefix}/agent-monitoring/patterns/{patternId}`;
const signalsPath = `${prefix}/monitor/signals`;
const ownSignalPath = `${prefix}/agent-monitoring/signals/{signalId}`;
const profilePath = `${prefix}/monitor/profiles/{agentId}`;
const trackedPath = `${prefix}/ingest/tracked-agents`;

const noPattern = error("No such pattern in the project.");
const noSignal = error("No such signal in the project.");

const changing = {
  ...monitor,
  ...byMember,
  params: patternParams,
  body: json(changedPattern),
  responses: { 200: { description: "The pattern.", schema: patternReply }, ...checkedBody, 404: noPattern },
  summary: "Change a pattern; built-in ones are read-only.",
  section: "completions 9.3",
} as const;
const removing = {
  ...monitor,
  ...byMember,
  params: patternParams,
  responses: { 204: { description: "It is gone.", schema: null }, 404: noPattern },
  summary: "Delete a pattern; built-in ones are read-only.",
  section: "completions 9.3",
} as const;
const triage = {
  ...monitor,
  ...byMember,
  params: signalParams,
  body: judged(json(changedSignal), changedSignalSentences),
  responses: { 200: { description: "The signal.", schema: signalReply }, ...checkedBody, 404: noSignal },
  summary: "Triage a signal.",
  section: "completions 9.4",
} as const;
/** The dashboard reads and sets it with the session (completions 12.6). */
const tracking = { ...monitor, authentication: ["key", "session"], section: "completions 9.1" } as const;

/** Agents with their monitoring profiles, patterns, and signals. */
export const watchingRoutes = {
  listAgents: {
    ...monitor,
    id: "listAgents",
    method: "GET",
    path: `${prefix}/agents`,
    query: agentListQuery,
    responses: { 200: { description: "The project's agents, by name.", schema: agentList }, 400: wrongPage },
    summary: "List agents with their monitoring profiles.",
    section: "completions 9.1",
  },
  listTrackedAgents: {
    ...tracking,
    id: "listTrackedAgents",
    method: "GET",
    path: trackedPath,
    query: agentListQuery,
    responses: { 200: { description: "The project's agents, by name.", schema: trackedAgentList }, 400: wrongPage },
    summary: "List agents, whether they are tracked, and how many traces they have.",
  },
  setTrackedAgent: {
    ...tracking,
    id: "setTrackedAgent",
    method: "PUT",
    path: trackedPath,
    body: judged(json(changedTracking), changedTrackingSentences),
    responses: {
      200: { description: "The project's agents, by name.", schema: trackedAgentList },
      ...checkedBody,
      404: error("`agentId` is no id."),
    },
    summary: "Track an agent, or stop: its profile is switched with it.",
  },
  getProfile: {
    ...monitor,
    id: "getProfile",
    method: "GET",
    path: profilePath,
    params: agentParams,
    responses: {
      200: { description: "The agent's profile; null when it has none.", schema: profileReply },
      400: error("`agentId` can be neither an id nor a name."),
    },
    summary: "Read how an agent is watched, by its id or name.",
    section: "completions 9.2",
  },
  setProfile: {
    ...monitor,
    ...byMember,
    id: "setProfile",
    method: "PUT",
    path: profilePath,
    params: agentParams,
    body: judged(json(changedProfile), profileSentences),
    responses: {
      200: { description: "The profile.", schema: profileReply },
      ...checkedBody,
      404: error("No agent of this id in the project."),
    },
    summary: "Set how an agent is watched, by its id or name; a new name is registered.",
    section: "completions 9.2",
  },
  setMonitoringDefaults: {
    ...monitor,
    ...byAdmin,
    id: "setMonitoringDefaults",
    method: "PUT",
    path: `${prefix}/agent-monitoring/settings/monitoring-defaults`,
    body: judged(json(changedMonitoringDefaults), monitoringDefaultsSentences),
    responses: { 200: { description: "The project's defaults.", schema: monitoringDefaultsReply }, ...checkedBody },
    summary: "Set the project's defaults of monitoring.",
    section: "completions 9.2",
  },
  createPattern: {
    ...monitor,
    ...byMember,
    id: "createPattern",
    method: "POST",
    path: patternsPath,
    body: json(submittedPattern),
    responses: { 201: { description: "The pattern.", schema: patternReply }, ...checkedBody },
    summary: "Create a pattern.",
    section: "completions 9.3",
  },
  listPatterns: {
    ...monitor,
    id: "listPatterns",
    method: "GET",
    path: patternsPath,
    query: documentListQuery,
    responses: {
      200: { description: "The built-in patterns, then the project's own, oldest first.", schema: patternList },
      400: wrongPage,
    },
    summary: "List patterns.",
    section: "completions 9.3",
  },
  getPattern: {
    ...monitor,
    id: "getPattern",
    method: "GET",
    path: patternPath,
    params: patternParams,
    responses: { 200: { description: "The pattern.", schema: patternReply }, 404: noPattern },
    summary: "Read a pattern.",
    section: "completions 9.3",
  },
  tryPattern: {
    ...monitor,
    ...byMember,
    id: "tryPattern",
    method: "POST",
    path: `${prefix}/agent-monitoring/patterns/dry-run`,
    body: json(triedPattern),
    responses: { 200: { description: "What it found.", schema: patternTrialReply }, ...checkedBody },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Try a pattern on traces of the project; nothing is stored.",
    section: "completions 9.3",
  },
  generateRegex: {
    ...monitor,
    ...byMember,
    id: "generateRegex",
    method: "POST",
    path: `${prefix}/agent-monitoring/patterns/generate-regex`,
    body: judged(json(describedRegex), describedRegexSentences),
    responses: {
      200: { description: "A regex that patterns take.", schema: generatedRegex },
      ...checkedBody,
      422: error("The judge wrote no regex that can be used; the text says why."),
    },
    deadlineMs: deadlines.gatewayScoringHopMs,
    summary: "Have a regex written from a description.",
    section: "completions 9.3",
  },
  updatePattern: { ...changing, id: "updatePattern", method: "PUT", path: patternPath },
  patchPattern: { ...changing, id: "patchPattern", method: "PATCH", path: patternPath },
  deletePattern: { ...removing, id: "deletePattern", method: "DELETE", path: patternPath },
  updateMonitoringPattern: { ...changing, id: "updateMonitoringPattern", method: "PUT", path: ownPatternPath },
  patchMonitoringPattern: { ...changing, id: "patchMonitoringPattern", method: "PATCH", path: ownPatternPath },
  deleteMonitoringPattern: { ...removing, id: "deleteMonitoringPattern", method: "DELETE", path: ownPatternPath },
  listSignals: {
    ...monitor,
    id: "listSignals",
    alsoAskedBy: ["dropin"],
    method: "GET",
    path: signalsPath,
    query: signalsQuery,
    responses: {
      200: { description: "The signals, last seen first.", schema: signalList },
      400: error("A filter is none of its values."),
    },
    summary: "List signals.",
    section: "completions 9.4",
  },
  getSignal: {
    ...monitor,
    id: "getSignal",
    method: "GET",
    path: `${signalsPath}/{signalId}`,
    params: signalParams,
    responses: { 200: { description: "The signal.", schema: signalDetail }, 404: noSignal },
    summary: "Read a signal with its newest occurrences.",
    section: "completions 9.4",
  },
  listSignalEvents: {
    ...monitor,
    id: "listSignalEvents",
    method: "GET",
    path: `${signalsPath}/{signalId}/events`,
    params: signalParams,
    query: signalEventsQuery,
    responses: {
      200: { description: "A page of what raised it, newest first.", schema: signalEvents },
      400: error("A parameter that cannot be read."),
      404: noSignal,
    },
    summary: "List when and where a signal was seen.",
    section: "completions 9.4",
  },
  updateSignal: { ...triage, id: "updateSignal", method: "PATCH", path: `${signalsPath}/{signalId}` },
  updateMonitoringSignal: { ...triage, id: "updateMonitoringSignal", method: "PATCH", path: ownSignalPath },
  createSignalFeedback: {
    ...monitor,
    ...byMember,
    id: "createSignalFeedback",
    method: "POST",
    path: `${ownSignalPath}/feedback`,
    params: signalParams,
    body: judged(json(submittedSignalFeedback), signalFeedbackSentences),
    responses: { 201: { description: "The feedback.", schema: signalFeedbackReply }, ...checkedBody, 404: noSignal },
    summary: "Say what a person thinks of a signal.",
    section: "completions 9.4",
  },
} as const satisfies Record<string, Route>;
