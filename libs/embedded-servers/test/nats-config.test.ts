import { expect, test } from "vitest";
import { renderNatsConfig } from "../src/nats-config.ts";

const base = { port: 4333, serverName: "touchstone-1", storeFolder: "/store", isDurable: true };

test("an empty permission list allows nothing, where nats-server would read it as everything", () => {
  const user = { user: "judge", password: "p", publish: [], subscribe: ["svc.judge.>"], allowResponses: true };
  expect(JSON.parse(renderNatsConfig({ ...base, users: [user] })).authorization.users).toEqual([
    {
      user: "judge",
      password: "p",
      permissions: { publish: { deny: [">"] }, subscribe: { allow: ["svc.judge.>"] }, allow_responses: true },
    },
  ]);
});

test("the server listens on loopback only, accepts 8 MB, and syncs each message when durable", () => {
  const durable = JSON.parse(renderNatsConfig({ ...base, users: [] }));
  expect(durable).toMatchObject({
    listen: "127.0.0.1:4333",
    max_payload: 8_388_608,
    jetstream: { store_dir: "/store", sync_interval: "always" },
  });
  expect(durable).not.toHaveProperty("authorization");
  expect(JSON.parse(renderNatsConfig({ ...base, isDurable: false, users: [] })).jetstream).toEqual({
    store_dir: "/store",
    max_file_store: 4 * 1024 ** 3,
  });
});
