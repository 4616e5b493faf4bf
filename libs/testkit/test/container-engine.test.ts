import { expect, test } from "vitest";
import { containerEngineAnswers, engineAddress } from "../src/container-engine.ts";

test("the engine is expected at DOCKER_HOST, else at Docker's socket", () => {
  expect(engineAddress("")).toEqual({ path: "/var/run/docker.sock" });
  expect(engineAddress("unix:///run/podman/podman.sock")).toEqual({ path: "/run/podman/podman.sock" });
  expect(engineAddress("tcp://10.0.0.5")).toEqual({ host: "10.0.0.5", port: 2375 });
  expect(engineAddress("tcp://10.0.0.5:2376")).toEqual({ host: "10.0.0.5", port: 2376 });
});

test("a DOCKER_HOST that no socket can try counts as no engine", async () => {
  expect(await containerEngineAnswers("ssh://someone@somewhere")).toBe(false);
  expect(await containerEngineAnswers("not a url")).toBe(false);
  expect(await containerEngineAnswers("unix:///nowhere/to/be/found.sock")).toBe(false);
});
