import { addAbortSignal } from "node:stream";
import { ApiError, type Touchstone } from "@touchstone/sdk";
import type { Command } from "commander";
import { linesOf } from "./lines.ts";
import type { Surroundings } from "./surroundings.ts";

/** A message of JSON-RPC, as far as it is read here. */
interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; requestId?: string | number; _meta?: Record<string, unknown> };
}

const requestsAtOnce = 16;
const versionOf = "io.modelcontextprotocol/protocolVersion";
/** The codes of JSON-RPC for what is no JSON, and for a request that could not be answered. */
const errorCodes = { noJson: -32_700, unanswered: -32_603 } as const;

/** `touchstone mcp`: the MCP server of an installation, for clients that start a command. */
export function addMcp(program: Command, { client, print, note, interrupted }: Surroundings): void {
  program
    .command("mcp")
    .description("Let an agent read traces, scores and runs: MCP on standard input and output.")
    .option("--write", "with the tools that add cases, scores and runs")
    .option("--url <url>", "the address of Touchstone")
    .action(async ({ write, url }: { write?: boolean; url?: string }) => {
      await relay(readInput(interrupted), { client: client(url), path: write ? "/mcp?write=1" : "/mcp", print, note });
    });
}

/** The lines of standard input, until it ends or the command is interrupted. */
async function* readInput(interrupted: AbortSignal): AsyncGenerator<string> {
  try {
    yield* linesOf(addAbortSignal(interrupted, process.stdin));
  } catch (error) {
    if (!interrupted.aborted) throw error;
  }
}

/**
 * Sends each message to the installation and prints its answer, until the input ends. The tools are in the installation, so that a
 * command of any age offers those that it has.
 */
async function relay(
  lines: AsyncIterable<string>,
  { client, path, print, note }: Pick<Surroundings, "print" | "note"> & { client: Touchstone; path: string },
): Promise<void> {
  const underWay = new Map<string | number | symbol, { work: Promise<void>; abort: AbortController }>();
  /** The version that `initialize` agreed on. Later versions are in each message. */
  let agreed: string | null = null;

  async function answer(line: string, message: Message, signal: AbortSignal): Promise<void> {
    try {
      const headers = headersOf(message, agreed);
      const response = await client.request(path, { method: "POST", body: line, headers, signal });
      const text = await response.text();
      if (text === "") return;
      if (message.method === "initialize") agreed = readVersion(text) ?? agreed;
      print(text);
    } catch (thrown) {
      // A client waits for no answer to a request that it cancelled.
      if (signal.aborted) return;
      const told = thrown instanceof Error ? thrown.message : String(thrown);
      if (message.id === undefined) note(told);
      else if (thrown instanceof ApiError && isAnswer(thrown.body)) print(thrown.body);
      else print(errorText(message.id, errorCodes.unanswered, told));
    }
  }

  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = readMessage(line);
    if (message === null) {
      print(errorText(null, errorCodes.noJson, "The line is no message of JSON-RPC."));
    } else if (message.method === "notifications/cancelled") {
      underWay.get(message.params?.requestId ?? "")?.abort.abort();
    } else {
      const key = message.id ?? Symbol("notification");
      const abort = new AbortController();
      const work = answer(line, message, abort.signal).finally(() => underWay.delete(key));
      underWay.set(key, { work, abort });
      // The handshake decides about the headers of what follows.
      if (message.method === "initialize") await work;
      if (underWay.size >= requestsAtOnce) await Promise.race([...underWay.values()].map((one) => one.work));
    }
  }
  await Promise.all([...underWay.values()].map(({ work }) => work));
}

function headersOf({ method = "", params }: Message, agreed: string | null): Record<string, string> {
  const own = params?._meta?.[versionOf];
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(typeof own === "string"
      ? {
          "mcp-protocol-version": own,
          "mcp-method": method,
          ...(params?.name !== undefined && { "mcp-name": params.name }),
        }
      : agreed !== null && { "mcp-protocol-version": agreed }),
  };
}

function readMessage(line: string): Message | null {
  try {
    const message: unknown = JSON.parse(line);
    return typeof message === "object" && message !== null && !Array.isArray(message) ? message : null;
  } catch {
    return null;
  }
}

function readVersion(text: string): string | null {
  const { result } = JSON.parse(text) as { result?: { protocolVersion?: string } };
  return result?.protocolVersion ?? null;
}

/** Whether the body of a refusal is an answer of the protocol, such as that of an unknown version. */
function isAnswer(body: string): boolean {
  return Object.hasOwn(readMessage(body) ?? {}, "jsonrpc");
}

function errorText(id: string | number | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}
