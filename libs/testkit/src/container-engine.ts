import { connect, type NetConnectOpts } from "node:net";

/**
 * Whether a container engine answers at DOCKER_HOST, or else at Docker's usual socket. Takes milliseconds, while
 * importing testcontainers alone takes half a second.
 */
export function containerEngineAnswers(dockerHost = process.env.DOCKER_HOST ?? ""): Promise<boolean> {
  const address = engineAddress(dockerHost);
  if (address === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: 2_000 });
    const finish = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => finish(true));
    socket.once("timeout", () => finish(false));
    socket.once("error", () => finish(false));
  });
}

/** The address of the engine, or null for a form of DOCKER_HOST (such as ssh://) that cannot be tried with a socket. */
export function engineAddress(dockerHost: string): NetConnectOpts | null {
  if (dockerHost === "") return { path: "/var/run/docker.sock" };
  if (!URL.canParse(dockerHost)) return null;
  const { protocol, hostname, port, pathname } = new URL(dockerHost);
  if (protocol === "unix:") return { path: pathname };
  if (protocol === "tcp:" || protocol === "http:") return { host: hostname, port: Number(port || 2375) };
  return null;
}
