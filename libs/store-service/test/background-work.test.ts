import { expect, test, vi } from "vitest";
import { type Begin, startBackgroundWork } from "../src/background-work.ts";

/** Work that notes when it is begun and stopped. */
function createWork() {
  const log: string[] = [];
  const begin =
    (name: string): Begin =>
    () => {
      log.push(`begin ${name}`);
      return { stop: () => void log.push(`stop ${name}`) };
    };
  return { log, begin };
}

function prepare(begins: readonly Begin[]) {
  const done = Promise.withResolvers<void>();
  const service = { state: "migrating", isStopping: false };
  const onFailure = vi.fn();
  const background = startBackgroundWork({
    preparation: { done: done.promise, state: () => service.state },
    begins,
    isStopping: () => service.isStopping,
    onFailure,
  });
  const finish = async (state: string): Promise<void> => {
    service.state = state;
    done.resolve();
    await done.promise;
  };
  return { background, finish, service, onFailure };
}

test("work is begun in order once the preparation is done, and stopped in the opposite order", async () => {
  const { log, begin } = createWork();
  const { background, finish } = prepare([begin("relay"), begin("removal"), begin("sweep")]);
  expect(log).toEqual([]);

  await finish("ok");
  expect(log).toEqual(["begin relay", "begin removal", "begin sweep"]);
  await background.stop();

  expect(log.slice(3)).toEqual(["stop sweep", "stop removal", "stop relay"]);
});

test("what is begun together is stopped together, and before what was begun earlier", async () => {
  const { log, begin } = createWork();
  const slow = Promise.withResolvers<void>();
  const waits = { stop: () => slow.promise };
  const { background, finish } = prepare([begin("relay"), () => [waits, ...[begin("removal")()].flat()]]);
  await finish("ok");

  const stopped = background.stop();
  await vi.waitFor(() => expect(log).toContain("stop removal"));
  expect(log).not.toContain("stop relay");
  slow.resolve();
  await stopped;

  expect(log.at(-1)).toBe("stop relay");
});

test("nothing is begun while the service stops, nor after a preparation that was given up", async () => {
  const { log, begin } = createWork();
  const stopping = prepare([begin("relay")]);
  stopping.service.isStopping = true;
  await stopping.finish("ok");
  await stopping.background.stop();
  const givenUp = prepare([begin("relay")]);
  await givenUp.finish("migrating");
  await givenUp.background.stop();

  expect(log).toEqual([]);
});

test("a failure to begin is reported, and what was begun before it is stopped", async () => {
  const { log, begin } = createWork();
  const failure = new Error("the second cannot begin");
  const fails = (): never => {
    throw failure;
  };
  const { background, finish, onFailure } = prepare([begin("first"), fails, begin("third")]);
  await finish("ok");
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledExactlyOnceWith(failure));
  await background.stop();

  expect(log).toEqual(["begin first", "stop first"]);
});

test("a consumer that cannot be set up is reported, and the others are stopped", async () => {
  const { log, begin } = createWork();
  const failure = new Error("the consumer is not in the contract");
  const { background, finish, onFailure } = prepare([begin("first"), () => Promise.reject(failure), begin("third")]);
  await finish("ok");
  await vi.waitFor(() => expect(onFailure).toHaveBeenCalledExactlyOnceWith(failure));
  await background.stop();

  expect(log).toEqual(["begin first", "begin third", "stop third", "stop first"]);
});

test("work that fails to stop does not keep the rest running", async () => {
  const { log, begin } = createWork();
  const failure = new Error("the removal cannot be stopped");
  const fails = { stop: () => Promise.reject(failure) };
  const { background, finish } = prepare([begin("relay"), () => fails, begin("sweep")]);
  await finish("ok");

  await expect(background.stop()).rejects.toBe(failure);
  expect(log.slice(2)).toEqual(["stop sweep", "stop relay"]);
});
