import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { readPageCommands } from "@touchstone/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { repositoryRoot } from "../repository-files.ts";
import { buildHelm, run } from "./go-tools.ts";
import type { Manifest } from "./manifests.ts";

const { helm } = buildHelm();

/** `deploy/init-env.sh` makes it. */
const madeByCommands = ["deploy/.env"];

describe("the README's commands for Kubernetes", () => {
  let commands: string[];
  let installed: Manifest[];

  const commandOf = (start: string): string[] => {
    const found = commands.find((command) => command.startsWith(start));
    if (found === undefined) throw new Error(`The README has no command "${start}".`);
    return found.split(" ").slice(1);
  };

  beforeAll(async () => {
    const [block = ""] = await readPageCommands("README.md", "## On Kubernetes");
    commands = block.trim().split("\n");
    // A dry run asks no cluster, and refuses options and values that Helm and the chart do not know.
    const rendered = await run(helm, [...commandOf("helm install"), "--dry-run=client", "--output", "json"]);
    installed = parseAllDocuments(JSON.parse(rendered).manifest).map((document) => document.toJS() as Manifest);
  });

  test("name files that exist", () => {
    const files = commands.flatMap((command) => command.match(/\bdeploy\/[\w./-]+/g) ?? []);
    expect(files.length).toBeGreaterThan(6);
    for (const file of files) {
      expect(existsSync(path.join(repositoryRoot, file)) || madeByCommands.includes(file), file).toBe(true);
    }
  });

  test("open a way to a Service that the chart installs, at its port", () => {
    const [, target = "", port = ""] = commandOf("kubectl port-forward");
    const service = installed.find(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}` === target);
    expect(JSON.stringify(service?.spec)).toContain(`"port":${port}`);
  });

  test("load the image that the pods run", () => {
    const [, , image = ""] = commandOf("kind load");
    expect(commandOf("docker build")).toContain(image);
    expect(JSON.stringify(installed)).toContain(`"image":"${image}"`);
  });

  test("create the Secret and the ConfigMaps that the pods of the chart and of the servers read", async () => {
    const example = path.join(repositoryRoot, "deploy/helm/touchstone/examples/one-node.yaml");
    const read = JSON.stringify(installed) + JSON.stringify(parseAllDocuments(await readFile(example, "utf8")));
    const [, , , secret = ""] = commandOf("kubectl create secret");
    expect(read).toContain(`"secretKeyRef":{"name":"${secret}"`);
    const maps = commands.flatMap((command) => /^kubectl create configmap (\S+)/.exec(command)?.[1] ?? []);
    expect(maps.length).toBe(2);
    for (const name of maps) expect(read).toContain(`"configMap":{"name":"${name}"}`);
  });
});
