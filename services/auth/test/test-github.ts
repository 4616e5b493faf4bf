import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What GitHub answers: parts of its API that a sign-in asks, scripted. */
export interface TestGithub {
  origin: string;
  /** By path; a function answers by itself. */
  answers: Record<string, unknown | ((request: IncomingMessage, response: ServerResponse) => void)>;
  /** The forms that were posted. */
  posted: URLSearchParams[];
  stop(): Promise<void>;
}

export async function startGithub(): Promise<TestGithub> {
  const github: TestGithub = { origin: "", answers: {}, posted: [], stop };
  const server = createServer(async (request, response) => {
    let form = "";
    for await (const chunk of request) form += chunk;
    if (request.method === "POST") github.posted.push(new URLSearchParams(form));
    const answer = github.answers[request.url ?? ""];
    if (typeof answer === "function") return answer(request, response);
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { message: "Not Found" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  github.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return github;

  async function stop(): Promise<void> {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
