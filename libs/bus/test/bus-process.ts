import { type BusOptions, connectBus } from "../src/index.ts";
import { thingTold, weighText } from "./test-messages.ts";

/**
 * A separate process on the bus, for tests that kill it. It never finishes its work, and writes a line for each event.
 */
const [role, url, user, password] = process.argv.slice(2) as [string, string, string, string];
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const silent = { info() {}, warn() {}, error() {} } as unknown as BusOptions["logger"];
const forever = new Promise<never>(() => {});
const service = { answer: "judge", ask: "eval-runs", consume: "monitor" } as const;
const bus = connectBus({ url, user, password, service: service[role as keyof typeof service], logger: silent });

if (role === "answer") {
  const handler = async (_body: unknown, call: { requestId: string; signal: AbortSignal }) => {
    say(`accepted ${call.requestId}`);
    call.signal.addEventListener("abort", () => say(`aborted ${(call.signal.reason as Error).message}`));
    return await forever;
  };
  await bus.answer(weighText, handler, { concurrency: 4 });
}
if (role === "consume") {
  await bus.consume(thingTold, { durable: "monitor-first", ackWaitMs: 1_000 }, async ({ number }) => {
    say(`took ${number}`);
    return await forever;
  });
}
if (role === "ask") {
  while (bus.status() !== "connected") await new Promise((resolve) => setTimeout(resolve, 10));
  void bus.request(weighText, { text: "from a process" }, { timeoutMs: 60_000 });
}
say("ready");
