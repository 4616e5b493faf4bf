import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { createMailbox } from "../src/mailbox.ts";

test("items come out in the order they came in, with or without a waiting reader", async () => {
  const mailbox = createMailbox<number>();
  const first = mailbox.next(10_000);
  mailbox.put(1);
  mailbox.put(2);
  expect([await first, await mailbox.next(10_000)]).toEqual([1, 2]);
});

test("a wait without an item ends with null, and the next one works", async () => {
  const mailbox = createMailbox<number>();
  expect(await mailbox.next(1)).toBeNull();
  mailbox.put(1);
  expect(await mailbox.next(10_000)).toBe(1);
});

test("a failure ends the wait and every later one with its reason, the first reason", async () => {
  const mailbox = createMailbox<number>();
  const waiting = mailbox.next(10_000);
  mailbox.fail(new Error("first"));
  mailbox.fail(new Error("second"));
  await expect(waiting).rejects.toThrow("first");
  mailbox.put(1);
  await expect(mailbox.next(10_000)).rejects.toThrow("first");
});

test("an item that arrived while the process was too busy to read it is in time", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  const accepted = once(server, "connection") as Promise<[Socket]>;
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [sender] = await accepted;
  const mailbox = createMailbox<string>();
  client.on("data", (data) => mailbox.put(data.toString()));

  const waiting = mailbox.next(5);
  sender.write("sign of life");
  const busyUntilMs = performance.now() + 50;
  while (performance.now() < busyUntilMs);
  expect(await waiting).toBe("sign of life");

  client.destroy();
  sender.destroy();
  server.close();
});
