import { setTimeout as sleep } from "node:timers/promises";
import { limits } from "@touchstone/contracts";
import { expect, test } from "vitest";
import { AnswerRoom, AppError, createBodyBudget, type Tenant } from "../src/index.ts";

const mebibyte = 1024 * 1024;

/** Memory for six mebibytes of large answers. */
function openRooms() {
  const budget = createBodyBudget({ bytesMax: 8 * mebibyte, turnMs: 50 });
  const refuse = () => new AppError("service_unavailable", "too much");
  return { budget, open: (tenant?: Tenant) => new AnswerRoom(budget, refuse, tenant) };
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([promise.then(() => false), sleep(5).then(() => true)]);
}

test("a large answer waits until another is sent, and is refused when none is sent in time", async () => {
  const { budget, open } = openRooms();
  const [first, second, third] = [open(), open(), open()];
  await first.make(5 * mebibyte);
  const waiting = second.make(5 * mebibyte);
  expect(await isPending(waiting)).toBe(true);
  first.release();
  await waiting;
  await expect(third.make(5 * mebibyte)).rejects.toMatchObject({ code: "service_unavailable" });
  second.release();
  expect(budget.bytes()).toEqual({ small: 0, large: 0 });
});

test("the answers of one tenant leave memory for those of another", async () => {
  const { open } = openRooms();
  const [one, other] = ["one", "other"].map((projectId) => ({ projectId, organizationId: null }));
  for (let at = 0; at < 12; at += 1) await open(one).make(mebibyte / 2);
  await expect(open(one).make(mebibyte / 2)).rejects.toMatchObject({ code: "service_unavailable" });
  await open(other).make(mebibyte / 2);
});

test("memory that was reserved before an answer is read is adjusted to its real size", async () => {
  const { budget, open } = openRooms();
  const room = open();
  await room.make(4 * mebibyte);
  await room.settle(mebibyte);
  expect(budget.bytes().large).toBe(mebibyte);
  await room.settle(3 * mebibyte);
  expect(budget.bytes().large).toBe(3 * mebibyte);
  room.release();
  room.release();
  expect(budget.bytes().large).toBe(0);
});

test("an answer whose client disconnected while it was produced holds no memory", async () => {
  const { budget, open } = openRooms();
  const room = open();
  await room.make(mebibyte);
  room.release();
  await room.make(2 * mebibyte);
  await room.settle(3 * mebibyte);
  expect(budget.bytes()).toEqual({ small: 0, large: 0 });
});

test("a small answer needs no reservation, however little memory is left", async () => {
  const { budget, open } = openRooms();
  await open().make(6 * mebibyte);
  await open().settle(limits.smallBodyMaxBytes);
  expect(budget.bytes()).toEqual({ small: 0, large: 6 * mebibyte });
});
