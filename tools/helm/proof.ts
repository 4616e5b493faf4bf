/**
 * `npm run helm-proof`: builds the API servers of two versions of Kubernetes, and lets each of them accept every
 * installation of the chart: as a dry run, as an installation and an upgrade by Helm, and pod by pod in a namespace that
 * enforces the restricted Pod Security Standard. There are no nodes, so nothing runs.
 */
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { hasGo } from "../go-program.ts";
import { startApiServer } from "./api-server.ts";
import { buildHelm, chartFolder, definitionFiles, kubernetesVersions, run } from "./go-tools.ts";
import { type Manifest, podsOf } from "./manifests.ts";

if (!hasGo()) {
  console.error("helm-proof needs Go: it builds Helm, etcd and kube-apiserver.");
  process.exit(1);
}

const { helm } = await buildHelm();
const folder = path.join(chartFolder, "ci-values");
const examples = path.join(chartFolder, "examples");
const valueFiles = [
  ...(await readdir(folder)).map((name) => path.join(folder, name)),
  path.join(examples, "one-node-values.yaml"),
];

for (const version of kubernetesVersions) {
  const server = await startApiServer(version);
  try {
    for (const file of await definitionFiles()) await server.define(await readFile(file, "utf8"));
    for (const file of valueFiles) await prove(file, server);
    await server.create("examples", await readFile(path.join(examples, "one-node.yaml"), "utf8"));
    console.log(`Kubernetes ${await server.version()} accepts the chart with ${valueFiles.length} files of values.`);
  } finally {
    await server.stop();
  }
}

async function prove(file: string, server: Awaited<ReturnType<typeof startApiServer>>): Promise<void> {
  const namespace = path.basename(file, ".yaml");
  await server.makeNamespace(namespace);
  const of = ["touchstone", chartFolder, "--namespace", namespace, "--values", file];
  const connection = ["--kubeconfig", server.kubeconfig];
  await run(helm, ["install", ...of, ...connection, "--dry-run=server"]);
  // Without nodes no Job ends: the hooks are given to the server below.
  await run(helm, ["install", ...of, ...connection, "--no-hooks"]);
  await run(helm, ["upgrade", ...of, ...connection, "--no-hooks", "--set", "podAnnotations.proof=upgraded"]);
  const rendered = await run(helm, ["template", ...of]);
  const manifests = parseAllDocuments(rendered)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
  for (const manifest of manifests) {
    if (manifest.kind === "Job" || manifest.kind === "ExternalSecret") await server.try(namespace, manifest);
    for (const { name, spec } of podsOf(manifest)) {
      const metadata = { name: `${name.toLowerCase().replace(" ", "-")}` };
      await server.try(namespace, {
        apiVersion: "v1",
        kind: "Pod",
        metadata,
        spec: { restartPolicy: "Never", ...withoutRestart(spec) },
      });
    }
  }
}

/** A Deployment's template leaves the policy out, a Job's has its own. */
function withoutRestart(spec: object): object {
  const { restartPolicy: _, ...rest } = spec as { restartPolicy?: string };
  return rest;
}
