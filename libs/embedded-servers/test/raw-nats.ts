import { once } from "node:events";
import { connect } from "node:net";

/**
 * Speaks NATS's text protocol: connects as a user, sends the commands and a PING, and returns the server's answer up to
 * its PONG (or another given text), or up to the end of the connection. Enough to check permissions and JetStream
 * without a client.
 */
export async function talkToNats(
  port: number,
  {
    user,
    password,
    commands,
    last = /PONG\r\n/,
  }: { user: string; password: string; commands: readonly string[]; last?: RegExp },
): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString("utf8");
    if (last.test(answer)) socket.end();
  });
  socket.on("error", () => {});
  const hello = JSON.stringify({ user, pass: password, verbose: false, pedantic: false, headers: true });
  socket.write([`CONNECT ${hello}`, ...commands, "PING", ""].join("\r\n"));
  await once(socket, "close");
  return answer.replace(/^INFO [^\r]*\r\n/, "");
}
