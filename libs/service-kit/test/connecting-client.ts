import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/**
 * A thread that opens a connection with a request every few milliseconds until the port refuses one. Posts how many requests were
 * answered, and how many connections broke without an answer.
 */
const { port, connectEveryMs } = workerData as { port: number; connectEveryMs: number };
const outcomes: Promise<"answered" | "broken" | "refused">[] = [];
let isRefused = false;

function send(): Promise<"answered" | "broken" | "refused"> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n");
    socket.once("data", () => resolve("answered"));
    socket.once("close", () => resolve("broken"));
    socket.once("error", (err) => {
      const refused = "code" in err && err.code === "ECONNREFUSED";
      isRefused ||= refused;
      resolve(refused ? "refused" : "broken");
    });
  });
}

while (!isRefused) {
  outcomes.push(send());
  await sleep(connectEveryMs);
}
const all = await Promise.all(outcomes);
const count = (outcome: string): number => all.filter((each) => each === outcome).length;
parentPort?.postMessage({ answered: count("answered"), broken: count("broken") });
