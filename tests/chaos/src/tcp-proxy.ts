import { connect, createServer, type Server, type Socket } from "node:net";
import { findFreePort } from "@touchstone/testkit";

/** How the proxy treats bytes. A held byte arrives later, as after a network partition. */
export type ProxyMode =
  | { kind: "pass" }
  /** Nothing listens, and open connections are reset. */
  | { kind: "refuse" }
  /** Connections stay and are accepted, and no byte passes in either direction. */
  | { kind: "hold" }
  /** Requests pass, answers do not. */
  | { kind: "hold-answers" }
  | { kind: "delay"; ms: number };

/** A proxy to a server on loopback that a test can disturb. */
export interface TcpProxy {
  port: number;
  set(mode: ProxyMode): Promise<void>;
  close(): Promise<void>;
}

/** One direction of one connection: forwards the bytes unchanged when the mode allows it. */
interface Flow {
  push(chunk: Buffer): void;
  end(): void;
  pump(): void;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const flows = new Set<Flow>();
  let mode: ProxyMode = { kind: "pass" };
  let server: Server | null = null;
  const port = await findFreePort();

  function startFlow(target: Socket, direction: "request" | "answer"): Flow {
    let waiting: { chunk: Buffer | null; dueMs: number }[] = [];
    let timer: NodeJS.Timeout | undefined;
    const isHeld = (): boolean => mode.kind === "hold" || (mode.kind === "hold-answers" && direction === "answer");
    const flow: Flow = {
      push: (chunk) => add(chunk),
      end: () => add(null),
      pump() {
        clearTimeout(timer);
        if (isHeld()) return;
        const now = performance.now();
        const due = waiting.filter(({ dueMs }) => dueMs <= now);
        waiting = waiting.slice(due.length);
        for (const { chunk } of due) {
          if (target.destroyed) break;
          if (chunk === null) target.end();
          else target.write(chunk);
        }
        const next = waiting[0];
        if (next !== undefined) timer = setTimeout(flow.pump, next.dueMs - now);
      },
    };
    function add(chunk: Buffer | null): void {
      const delayMs = mode.kind === "delay" ? mode.ms : 0;
      const last = waiting.at(-1)?.dueMs ?? 0;
      // In order, although the mode may have changed since the previous one.
      waiting.push({ chunk, dueMs: Math.max(last, performance.now() + delayMs) });
      flow.pump();
    }
    flows.add(flow);
    target.once("close", () => {
      clearTimeout(timer);
      flows.delete(flow);
    });
    return flow;
  }

  function serve(incoming: Socket): void {
    const outgoing = connect(targetPort, "127.0.0.1");
    for (const [from, to, direction] of [
      [incoming, outgoing, "request"],
      [outgoing, incoming, "answer"],
    ] as const) {
      const flow = startFlow(to, direction);
      sockets.add(from);
      from.on("data", flow.push);
      from.on("end", flow.end);
      from.on("error", () => from.destroy());
      from.on("close", () => {
        sockets.delete(from);
        // While bytes are held, the other side sees nothing, not even the end of the connection.
        if (mode.kind !== "hold") to.destroySoon();
      });
    }
  }

  async function open(): Promise<void> {
    const listening = createServer({ allowHalfOpen: true }, serve);
    server = listening;
    await new Promise<void>((resolve, reject) => {
      listening.once("error", reject);
      listening.listen(port, "127.0.0.1", resolve);
    });
  }

  async function shut(): Promise<void> {
    const closing = server;
    server = null;
    for (const socket of sockets) socket.destroy();
    if (closing !== null) await new Promise((resolve) => closing.close(resolve));
  }

  await open();
  return {
    port,
    async set(next) {
      mode = next;
      if (next.kind === "refuse") await shut();
      else if (server === null) await open();
      for (const flow of flows) flow.pump();
    },
    close: shut,
  };
}
