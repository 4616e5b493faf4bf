import { EmbeddedServerError, openHome, startNats, startPostgres } from "../src/index.ts";

// A program for tests that need Touchstone in a separate process, to kill it or to run it as another user. It receives
// the options of `openHome` as JSON, writes one JSON line per step, and stops in order on SIGTERM.
const say = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const options = JSON.parse(process.argv[2] ?? "{}") as { folder: string; elsewhere?: string };
try {
  const home = await openHome({ ...options, onProgress: (progress) => say({ progress }) });
  const postgres = await startPostgres({ home, onEvent: (event) => say({ event }) });
  const users = [{ user: "tester", password: "secret", publish: [">"], subscribe: [">"] }] as const;
  const nats = await startNats({ home, users, onEvent: (event) => say({ event }) });
  say({
    ready: {
      postgres: { pid: postgres.pid, url: postgres.url },
      nats: { pid: nats.pid, url: nats.url },
      servers: home.folders.servers,
    },
  });
  const keepAlive = setInterval(() => {}, 60_000);
  process.once("SIGTERM", async () => {
    clearInterval(keepAlive);
    await home.close();
    say({ closed: true });
  });
} catch (error) {
  if (!(error instanceof EmbeddedServerError)) throw error;
  say({ failed: { code: error.code, message: error.message, hint: error.hint } });
  process.exitCode = 1;
}
