import { EmbeddedServerError } from "./embedded-server-error.ts";
import { findFreePort } from "./free-port.ts";
import type { ServerProcess } from "./server-process.ts";

/** Starts a server on the requested port, or on a free one; if another program binds it first, on the next free one. */
export async function launchOnFreePort(
  launch: (port: number) => Promise<ServerProcess>,
  wantedPort: number | undefined,
): Promise<{ server: ServerProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = wantedPort ?? (await findFreePort());
    try {
      return { server: await launch(port), port };
    } catch (error) {
      const wasTaken = error instanceof EmbeddedServerError && error.code === "port_in_use";
      if (!wasTaken || wantedPort !== undefined || attempt === 3) throw error;
    }
  }
}
