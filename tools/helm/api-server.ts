import { type ChildProcess, spawn } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { findFreePort } from "@touchstone/embedded-servers";
import { parseAllDocuments } from "yaml";
import { buildKubernetes, helmCache, type kubernetesVersions } from "./go-tools.ts";

const startDeadlineMs = 180_000;

interface Resource {
  apiVersion: string;
  kind: string;
  metadata: object;
  spec?: unknown;
}

/** Where resources of a kind are created, below their API. */
const places: Record<string, string> = {
  ExternalSecret: "externalsecrets",
  Job: "jobs",
  Pod: "pods",
  Service: "services",
  StatefulSet: "statefulsets",
  Deployment: "deployments",
};

const strict = "fieldValidation=Strict";

/** A kube-apiserver with its etcd, on loopback; neither schedules nor runs anything. */
export async function startApiServer(version: (typeof kubernetesVersions)[number]) {
  const { apiServer, etcd } = await buildKubernetes(version);
  await mkdir(helmCache, { recursive: true });
  const folder = await mkdtemp(path.join(helmCache, "server-"));
  const [port, clientPort, peerPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  const token = randomBytes(16).toString("hex");
  const key = path.join(folder, "accounts.key");
  const tokens = path.join(folder, "tokens.csv");
  const kubeconfig = path.join(folder, "kubeconfig");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  await writeFile(key, privateKey.export({ type: "pkcs1", format: "pem" }), { mode: 0o600 });
  await writeFile(tokens, `${token},admin,admin,"system:masters"\n`, { mode: 0o600 });
  await writeFile(kubeconfig, renderKubeconfig(`https://127.0.0.1:${port}`, token), { mode: 0o600 });

  const clients = `http://127.0.0.1:${clientPort}`;
  const peers = `http://127.0.0.1:${peerPort}`;
  const children = [
    spawn(etcd, etcdArguments({ folder, clients, peers })),
    spawn(apiServer, apiServerArguments({ folder, clients, port, key, tokens })),
  ];
  let log = "";
  for (const child of children) {
    child.stdout.resume();
    child.stderr.on("data", (chunk) => (log = (log + chunk).slice(-5_000)));
  }

  const call = (method: string, place: string, body?: unknown) => callServer({ port, token, method, place, body });

  async function post(place: string, resource: unknown): Promise<void> {
    const { status, text: answer } = await call("POST", place, resource);
    if (status >= 300) throw new Error(`The API server refused ${JSON.stringify(resource).slice(0, 200)}: ${answer}`);
  }

  async function stop(): Promise<void> {
    await Promise.all(children.map(end));
    await rm(folder, { recursive: true, force: true });
  }

  async function makeNamespace(name: string): Promise<void> {
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await post("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name, labels } });
  }

  try {
    await waitUntilReady();
  } catch (error) {
    await stop();
    throw error;
  }

  async function waitUntilReady(): Promise<void> {
    for (const deadline = Date.now() + startDeadlineMs; ; await sleep(200)) {
      const isReady = await call("GET", "/readyz").then(
        ({ status }) => status === 200,
        () => false,
      );
      if (isReady) return;
      if (Date.now() > deadline || children.some(({ exitCode }) => exitCode !== null)) {
        throw new Error(`Kubernetes ${version} did not start:\n${log}`);
      }
    }
  }

  return {
    kubeconfig,
    stop,
    makeNamespace,
    async version(): Promise<string> {
      return JSON.parse((await call("GET", "/version")).text).gitVersion;
    },
    /** Registers the resources of an operator, and waits until they can be created. */
    async define(definition: string): Promise<void> {
      for (const document of parseAllDocuments(definition)) {
        const { metadata, ...rest } = document.toJS();
        const { name } = metadata as { name: string };
        const place = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        await post(place, { ...rest, metadata });
        for (const deadline = Date.now() + 30_000; ; await sleep(100)) {
          const conditions = JSON.parse((await call("GET", `${place}/${name}`)).text).status?.conditions ?? [];
          if (
            conditions.some(
              (one: { type: string; status: string }) => one.type === "Established" && one.status === "True",
            )
          )
            break;
          if (Date.now() > deadline) throw new Error(`${name} was not established within 30 s`);
        }
      }
    },
    /** Whether the server would create it; throws its reason otherwise. */
    try: (namespace: string, resource: Resource) =>
      post(`${placeOf(namespace, resource)}?dryRun=All&${strict}`, resource),
    /** Creates the resources of a text in a new namespace. */
    async create(namespace: string, manifests: string): Promise<void> {
      await makeNamespace(namespace);
      for (const document of parseAllDocuments(manifests)) {
        const resource = document.toJS() as Resource;
        await post(`${placeOf(namespace, resource)}?${strict}`, resource);
      }
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exited;
}

function renderKubeconfig(server: string, token: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "proof", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name: "proof", context: { cluster: "proof", user: "admin" } }],
    "current-context": "proof",
  });
}

function etcdArguments({ folder, clients, peers }: { folder: string; clients: string; peers: string }): string[] {
  return [
    `--data-dir=${path.join(folder, "etcd")}`,
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=default=${peers}`,
    "--unsafe-no-fsync",
    "--log-level=error",
  ];
}

function apiServerArguments({
  folder,
  clients,
  port,
  key,
  tokens,
}: {
  folder: string;
  clients: string;
  port: number;
  /** The file of the key that signs the tokens of service accounts. */
  key: string;
  /** The file of the tokens that may log in. */
  tokens: string;
}): string[] {
  return [
    `--etcd-servers=${clients}`,
    "--bind-address=127.0.0.1",
    // It refuses to announce a loopback address; this one is not used.
    "--advertise-address=192.0.2.1",
    `--secure-port=${port}`,
    `--cert-dir=${path.join(folder, "certificates")}`,
    `--token-auth-file=${tokens}`,
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    "--service-account-issuer=https://127.0.0.1",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--authorization-mode=RBAC",
    // No controller makes the accounts that it asks for.
    "--disable-admission-plugins=ServiceAccount",
  ];
}

async function callServer({
  port,
  token,
  method,
  place,
  body,
}: {
  port: number;
  token: string;
  method: string;
  place: string;
  body: unknown;
}): Promise<{ status: number; text: string }> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  // Its certificate is its own.
  const sent = request({
    host: "127.0.0.1",
    port,
    path: place,
    method,
    headers,
    rejectUnauthorized: false,
    timeout: 30_000,
  });
  sent.on("timeout", () => sent.destroy(new Error("the API server did not answer within 30 s")));
  const answer = new Promise<{ status: number; text: string }>((resolve, reject) => {
    sent.once("error", reject);
    sent.once("response", (message) =>
      text(message).then((content) => resolve({ status: message.statusCode ?? 0, text: content }), reject),
    );
  });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  return answer;
}

function placeOf(namespace: string, { apiVersion, kind }: Resource): string {
  const base = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${base}/namespaces/${namespace}/${places[kind] ?? kind}`;
}
