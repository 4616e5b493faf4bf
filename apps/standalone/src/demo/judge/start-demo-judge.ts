import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Knowledge } from "./knowledge.ts";
import { replyTo } from "./reply-to.ts";

/** The model name in verdicts of the sample project, so that they are not mistaken for a real model's. */
export const demoJudgeModel = "demo-judge";

const bodyMaxBytes = 4 * 1024 * 1024;

/** A scripted stand-in for a judge model: an OpenAI-compatible endpoint on loopback that costs nothing. */
export interface DemoJudge {
  baseUrl: string;
  stop(): Promise<void>;
}

export async function startDemoJudge(knowledge: Knowledge): Promise<DemoJudge> {
  const server = createServer((request, response) => {
    answer(request, response, knowledge).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  // The process ends with its services.
  server.unref();
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, knowledge: Knowledge): Promise<void> {
  if (request.method === "GET" && request.url === "/v1/models") {
    return send(response, 200, { object: "list", data: [{ id: demoJudgeModel, object: "model" }] });
  }
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    return send(response, 404, { error: { message: "The demo judge has chat completions only." } });
  }
  const { messages, response_format: format } = JSON.parse(await readBody(request)) as ChatRequest;
  const reply = replyTo(format?.json_schema?.name, messages.at(-1)?.content ?? "", knowledge);
  if (reply === null) {
    const message = "The demo judge is a script and cannot do this. Configure a model.";
    return send(response, 403, { error: { message } });
  }
  const content = JSON.stringify(reply);
  const tokens = (text: string): number => Math.ceil(text.length / 4);
  const prompt = messages.reduce((sum, message) => sum + tokens(message.content), 0);
  send(response, 200, {
    object: "chat.completion",
    model: demoJudgeModel,
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: prompt, completion_tokens: tokens(content), total_tokens: prompt + tokens(content) },
  });
}

interface ChatRequest {
  messages: { content: string }[];
  response_format?: { json_schema?: { name: string } };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) throw new Error("the body is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
