import { execFile } from "node:child_process";
import { access, copyFile, cp, mkdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { findOnPath as findIn } from "@touchstone/embedded-servers";
import { repositoryRoot } from "../repository-files.ts";

const execute = promisify(execFile);
const work = path.join(repositoryRoot, ".cache/image");
/** The root file system of the base, to compare the image with. */
export const baseFolder = path.join(work, "base");
const baseName = "node:24-bookworm-slim";
const imageName = "touchstone:proof";
/** Where a package installation behind a proxy finds the proxy's certificate. */
const proxyCertificate = "/etc/ssl/certs/proxy.pem";
const deadlineMs = 20 * 60_000;

/** The commands that the proof uses, with their Debian packages. */
const commands = {
  buildah: "buildah",
  debootstrap: "debootstrap",
  bwrap: "bubblewrap",
  "redis-server": "redis-server",
};

const findOnPath = (name: string): Promise<string | null> => findIn(name, process.env.PATH ?? "");

async function run(command: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(command, args, {
    cwd: repositoryRoot,
    // Cached packages, too, are kept there.
    env: { ...process.env, TMPDIR: path.join(work, "tmp"), DEBIAN_FRONTEND: "noninteractive" },
    maxBuffer: 64 << 20,
    timeout: deadlineMs,
  });
  return stdout.trim();
}

const buildah = (...args: string[]): Promise<string> =>
  run("buildah", ...["--root", `${work}/storage`, "--runroot", `${work}/run`, "--storage-driver", "vfs"], ...args);

/** Installs the missing Debian packages. Throws an error that names them if this process may not. */
export async function installPackages(): Promise<void> {
  const found = await Promise.all(
    Object.entries(commands).map(async ([command, name]) => ((await findOnPath(command)) === null ? [name] : [])),
  );
  const missing = found.flat();
  if (process.getuid?.() !== 0) {
    const first = missing.length === 0 ? "" : ` Install ${missing.join(", ")} first.`;
    throw new Error(`The proof mounts file systems, so it runs as root.${first}`);
  }
  if (missing.length === 0) return;
  await run("apt-get", "update", "--quiet");
  await run("apt-get", "install", "--quiet", "--yes", "--no-install-recommends", ...missing);
}

/** The configuration of an image, as far as a container needs it. */
export interface ImageConfig {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Labels?: Record<string, string>;
}

export interface BuiltImage {
  config: ImageConfig;
  /** Its root file system. */
  root: string;
  unmount(): Promise<void>;
}

/** Builds `deploy/Dockerfile` on a base of Debian's packages and the installed Node. */
export async function buildImage(revision: string): Promise<void> {
  await mkdir(path.join(work, "tmp"), { recursive: true });
  await buildah("rm", "--all").catch(() => undefined);
  const images = await buildah("images", "--format", "{{.Name}}:{{.Tag}}");
  if (!images.split("\n").some((name) => name.endsWith(`/${baseName}`))) await buildBase();
  // Debian's buildah does not know the option.
  const dockerfile = await readFile(path.join(repositoryRoot, "deploy/Dockerfile"), "utf8");
  const file = path.join(work, "Dockerfile");
  await writeFile(file, dockerfile.replace(/ --start-interval=\S+/, ""));
  const ignored = path.join(repositoryRoot, "deploy/Dockerfile.dockerignore");
  await buildah(
    ...["bud", "--isolation", "chroot", "--pull-never", "--file", file, "--ignorefile", ignored],
    ...["--build-arg", `REVISION=${revision}`, "--tag", imageName, "."],
  );
  await buildah("rmi", "--prune");
}

/** Mounts the image that was built last. */
export async function mountImage(): Promise<BuiltImage> {
  const { OCIv1 } = JSON.parse(await buildah("inspect", "--type", "image", imageName)) as {
    OCIv1: { config: ImageConfig };
  };
  const container = await buildah("from", "--pull-never", imageName);
  return {
    config: OCIv1.config,
    root: await buildah("mount", container),
    unmount: async () => void (await buildah("rm", container)),
  };
}

/** A Debian with Node, npm and the user `node`, as in the official image. */
async function buildBase(): Promise<void> {
  const partial = `${baseFolder}.partial`;
  const at = (name: string): string => path.join(partial, name);
  await rm(partial, { recursive: true, force: true });
  await rm(baseFolder, { recursive: true, force: true });
  await run("debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", partial);
  for (const name of ["var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man", "usr/share/locale"]) {
    await rm(at(name), { recursive: true, force: true });
    await mkdir(at(name));
  }
  await run("chroot", partial, "useradd", "--uid", "1000", "--create-home", "node");
  await writeFile(at("etc/hosts"), "");
  await copyFile(await realpath(process.execPath), at("usr/local/bin/node"));
  const npm = await findOnPath("npm");
  if (npm === null) throw new Error("npm is not on PATH.");
  const modules = "usr/local/lib/node_modules/npm";
  await cp(path.dirname(path.dirname(await realpath(npm))), at(modules), { recursive: true, dereference: true });
  await run("ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", at("usr/local/bin/npm"));

  const container = await buildah("from", "scratch");
  const certificate = process.env.NODE_EXTRA_CA_CERTS;
  if (certificate !== undefined) {
    await access(certificate);
    await copyFile(certificate, at(proxyCertificate));
    await buildah("config", "--env", `NODE_EXTRA_CA_CERTS=${proxyCertificate}`, container);
  }
  await buildah("config", "--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container);
  await buildah("add", "--quiet", container, partial, "/");
  await buildah("commit", "--quiet", "--rm", container, baseName);
  await rename(partial, baseFolder);
}
