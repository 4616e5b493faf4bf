import { spawn } from "node:child_process";
import os from "node:os";
import path from "node:path";
import { buildGoProgram } from "../go-program.ts";
import { repositoryRoot } from "../repository-files.ts";

/** The Go modules that pin the tools: Helm and kubeconform, and a server for each minor version of Kubernetes. */
const modules = "deploy/helm/tools";

/** Built programs and schemas; they are kept. */
export const helmCache = path.join(repositoryRoot, ".cache/helm");
export const chartFolder = path.join(repositoryRoot, "deploy/helm/touchstone");

/** The minor versions the chart is proved on. kubeconform takes the schemas of the newest. */
export const kubernetesVersions = ["1.36", "1.37"] as const;

/** The definitions of resources that the chart and its examples use, from the modules of their operators. */
const definitions: readonly (readonly [module: string, file: string])[] = [
  [
    "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
  ],
  [
    "github.com/prometheus-operator/prometheus-operator@v0.85.0",
    "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
  ],
  ["sigs.k8s.io/gateway-api@v1.6.0", "config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"],
  ["github.com/kedacore/keda/v2@v2.21.0", "config/crd/bases/keda.sh_scaledobjects.yaml"],
  ["github.com/external-secrets/external-secrets@v1.3.2", "config/crds/bases/external-secrets.io_externalsecrets.yaml"],
  ["github.com/cloudnative-pg/cloudnative-pg@v1.27.0", "config/crd/bases/postgresql.cnpg.io_clusters.yaml"],
];

export function buildHelm(): { helm: string; kubeconform: string } {
  return {
    helm: buildGoProgram({ module: modules, program: "helm.sh/helm/v4/cmd/helm", name: "helm" }),
    kubeconform: buildGoProgram({
      module: modules,
      program: "github.com/yannh/kubeconform/cmd/kubeconform",
      name: "kubeconform",
    }),
  };
}

type KubernetesVersion = (typeof kubernetesVersions)[number];

/** A server of a minor version, and the etcd it is built with. */
export async function buildKubernetes(version: KubernetesVersion): Promise<{ apiServer: string; etcd: string }> {
  const module = path.join(modules, `kubernetes-${version}`);
  const list = ["list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes"];
  const release = (await run("go", list, path.join(repositoryRoot, module))).trim();
  const [major, minor] = version.split(".");
  // Kubernetes' own build does the same; without it the server calls itself v0.0.0.
  const known = Object.entries({ gitVersion: release, gitMajor: major, gitMinor: minor });
  const linked = known.map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`).join(" ");
  const program = "k8s.io/kubernetes/cmd/kube-apiserver";
  return {
    apiServer: buildGoProgram({ module, program, name: "kube-apiserver", flags: ["-ldflags", linked] }),
    etcd: buildGoProgram({ module, program: "go.etcd.io/etcd/server/v3", name: "etcd" }),
  };
}

/** Files of Kubernetes' own module with its API, such as `apis__apps__v1_openapi.json`. */
export async function apiFolder(version: KubernetesVersion): Promise<string> {
  const folder = path.join(repositoryRoot, modules, `kubernetes-${version}`);
  const { Dir } = JSON.parse(await run("go", ["mod", "download", "-json", "k8s.io/kubernetes"], folder));
  return path.join(Dir, "api/openapi-spec/v3");
}

/** The paths of the definitions, downloaded where they are missing. */
export async function definitionFiles(): Promise<string[]> {
  const names = [...new Set(definitions.map(([module]) => module))];
  const folders = new Map<string, string>();
  for (const name of names) {
    folders.set(
      name,
      JSON.parse(await run("go", ["mod", "download", "-json", name], path.join(repositoryRoot, modules))).Dir,
    );
  }
  return definitions.map(([module, file]) => path.join(folders.get(module) ?? "", file));
}

/** Runs a command at the lowest priority and returns its output; it fails with its error output. */
export function run(command: string, args: readonly string[], cwd = repositoryRoot): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW);
  let output = "";
  let errors = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (errors += chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${path.basename(command)} ${args.join(" ")} ended with ${code}:\n${errors}${output}`));
    });
  });
}
