import {
  internalRoutes,
  type langfusePrompt,
  type langfusePromptList,
  prompt as nativePrompt,
  routes,
} from "@touchstone/contracts";
import {
  AppError,
  type Call,
  type Handler,
  type JsonMember,
  lastText,
  membersOf,
  objectText,
  readJsonObject,
  type ServedRoute,
} from "@touchstone/service-kit";
import type { z } from "zod";
import type { Owner } from "../owner.ts";
import { pageMeta, readPage, textOf } from "./page.ts";

/** Prompts (dropin 1.4). They are Touchstone's own, which have a text or messages where Langfuse has `prompt`. */
export function promptRoutes({ evalRuns }: { evalRuns: Owner }): ServedRoute[] {
  return [
    { route: routes.createLangfusePrompt, handle: createPrompt(evalRuns) },
    { route: routes.listLangfusePrompts, handle: listPrompts(evalRuns) },
    { route: routes.getLangfusePrompt, handle: getPrompt(evalRuns) },
    { route: routes.labelLangfusePrompt, handle: labelPrompt(evalRuns) },
  ];
}

/** What Langfuse's clients get when they name neither a version nor a label. */
const labelByDefault = "production";

function createPrompt(evalRuns: Owner): Handler {
  return async (call) => {
    const { text, value } = await readJsonObject(call);
    const { prompt, type = "text" } = value;
    if (type === "chat" ? !Array.isArray(prompt) : typeof prompt !== "string") {
      throw new AppError("bad_request", "prompt must be a text, or of type chat a list of messages");
    }
    const sent = membersOf(text);
    const body = objectText([
      { name: "type", valueText: JSON.stringify(type) },
      ...pickMember(sent, "prompt", type === "chat" ? "messages" : "text"),
      ...["name", "config", "labels", "tags", "commitMessage"].flatMap((name) => pickMember(sent, name)),
    ]);
    const published = await evalRuns.ask(routes.publishPrompt, call, { body });
    return { status: 201, body: showPrompt(published) };
  };
}

function getPrompt(evalRuns: Owner): Handler {
  return async (call) => {
    const version = textOf(call, "version");
    const label = textOf(call, "label");
    const query = version === null ? { label: label ?? labelByDefault } : { version, ...(label !== null && { label }) };
    const found = await evalRuns.ask(routes.getPrompt, call, { params: { promptId: nameOf(call) }, query });
    return { status: 200, body: showPrompt(found) };
  };
}

function labelPrompt(evalRuns: Owner): Handler {
  return async (call) => {
    const { newLabels } = (await readJsonObject(call)).value;
    const params = { promptId: nameOf(call), version: call.params.version ?? "" };
    const body = JSON.stringify({ labels: newLabels });
    return { status: 200, body: showPrompt(await evalRuns.ask(routes.labelPrompt, call, { params, body })) };
  };
}

function listPrompts(evalRuns: Owner): Handler {
  return async (call) => {
    const page = readPage(call);
    const [name, label, tag] = [textOf(call, "name"), textOf(call, "label"), textOf(call, "tag")];
    const query = { name, label, tag, offset: page.offset, limit: page.limit };
    const route = internalRoutes.searchPrompts;
    const found = route.reply.parse(JSON.parse(await evalRuns.ask(route, call, { body: JSON.stringify(query) })));
    const body: z.input<typeof langfusePromptList> = {
      data: found.prompts.map(({ name, type, version, labels, tags, config, updatedAt }) => ({
        ...{ name, type, labels, tags },
        versions: Array.from({ length: version }, (_, index) => index + 1),
        lastUpdatedAt: updatedAt,
        lastConfig: config,
      })),
      meta: pageMeta(page, found.totalCount),
    };
    return { status: 200, body };
  };
}

const nameOf = ({ params }: Call): string => params.promptName ?? "";

/** The member as it was sent, under its name or another; empty if it is missing. */
function pickMember(members: readonly JsonMember[], name: string, as = name): JsonMember[] {
  const valueText = lastText(members, name);
  return valueText === undefined ? [] : [{ name: as, valueText }];
}

/** JSON text, with the content and the config as they are stored: numbers keep their spelling. */
function showPrompt(text: string): string {
  const native = nativePrompt.parse(JSON.parse(text));
  const { name, version, type, labels, tags, commitMessage = null, createdAt, updatedAt } = native;
  const shown: Omit<z.input<typeof langfusePrompt>, "prompt" | "config"> = {
    ...{ name, version, type, labels, tags, commitMessage },
    ...{ resolutionGraph: null, createdAt, updatedAt },
  };
  const stored = membersOf(text);
  return objectText([
    ...membersOf(JSON.stringify(shown)),
    ...pickMember(stored, native.messages == null ? "text" : "messages", "prompt"),
    ...pickMember(stored, "config"),
  ]);
}
