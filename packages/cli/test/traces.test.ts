import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Touchstone } from "@touchstone/sdk";
import { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { addTraces } from "../src/traces.ts";

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Follows two traces of a server that answers its requests so, in order. */
async function tail(...answers: Answer[]) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answers[requests.length - 1]?.(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = new Touchstone({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: "key" });
  const interruption = new AbortController();
  const [printed, notes]: [string[], string[]] = [[], []];
  const program = new Command();
  addTraces(program, {
    client: () => client,
    print: (text) => void printed.push(text),
    note: (text) => void notes.push(text),
    ...{ isTerminal: false, interrupted: interruption.signal, environment: {} },
  });
  const ended = program.parseAsync(["traces", "tail", "--limit", "2", "--json"], { from: "user" });
  return { ended, requests, printed, notes, interruption };
}

const event =
  (id: number): Answer =>
  (response) =>
    response.end(`event: trace\nid: ${id}\ndata: {"_id":"trace ${id}"}\n\n`);
const breakConnection: Answer = (_, { socket }) => void socket.resetAndDestroy();
const refuse =
  (status: number): Answer =>
  (response) =>
    response.writeHead(status, { "content-type": "application/json" }).end('{"error":"Sorry"}');

test("traces are followed over a time without a server, from the last one on", { timeout: 60_000 }, async () => {
  // A broken connection is tried again once, so that the second request and the third are one attempt.
  const { ended, requests, printed, notes } = await tail(event(1), breakConnection, breakConnection, event(2));
  await ended;

  expect(printed).toEqual(['{"_id":"trace 1"}', '{"_id":"trace 2"}']);
  expect(requests.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1", "1", "1"]);
  expect(notes).toEqual([expect.stringContaining("Touchstone cannot be reached at http://127.0.0.1:")]);
});

test("following traces ends where there was no server from the beginning", { timeout: 60_000 }, async () => {
  const { ended } = await tail(breakConnection, breakConnection);
  await expect(ended).rejects.toThrow("Touchstone cannot be reached");
});

test("following traces ends when the server refuses to go on", { timeout: 60_000 }, async () => {
  const { ended, printed } = await tail(event(1), refuse(401));
  await expect(ended).rejects.toThrow("Sorry (401)");
  expect(printed).toHaveLength(1);
});

test("following traces ends without an error when it is interrupted", { timeout: 60_000 }, async () => {
  const { ended, interruption } = await tail(event(1), () => interruption.abort());
  await ended;
});
