import { type Connection, connect, credentialHeaders, type Project } from "./connection.ts";

/**
 * A page's first reads are sent while its script is still loading. `begin-reads.ts`, a script of a few kilobytes,
 * starts them; a later caller with the same request gets that answer, once.
 */
let connection: Promise<Connection> | null = null;
let hasBegun = false;
const reads = new Map<string, Promise<Response>>();

/**
 * Begins the reads of the page at a path. Only the first call does so, and only if {@link takeConnection} was not called before.
 * Returns whether the page belongs to a project.
 */
export function beginReads(path: string): boolean {
  if (!/^\/(p\/|$)/.test(path)) return false;
  if (hasBegun) return true;
  hasBegun = true;
  connection = connect(localStorage);
  const [, projectId, traceId] = /^\/p\/([^/]+)\/traces\/([^/]+)$/.exec(path) ?? [];
  // The caller who takes the answer handles the failure.
  connection.then((known) => traceId !== undefined && beginTrace(known, projectId, traceId), ignore);
  return true;
}

/** This browser's identity, from an earlier request or a new one. */
export function takeConnection(): Promise<Connection> {
  const begun = connection ?? connect(localStorage);
  hasBegun = true;
  connection = null;
  return begun;
}

/** The answer to a GET that was begun for a project; undefined if none was. */
export function takeRead(project: Pick<Project, "_id">, path: string): Promise<Response> | undefined {
  const name = `${project._id} ${path}`;
  const begun = reads.get(name);
  reads.delete(name);
  return begun;
}

function beginTrace(known: Connection, projectId: string | undefined, traceId: string): void {
  const project = known.state === "ready" ? known.projects.find(({ _id }) => _id === projectId) : undefined;
  if (known.state !== "ready" || project === undefined) return;
  const ofTrace = `/api/v1/ingest/traces/${traceId}`;
  for (const path of [`${ofTrace}/outline`, ofTrace]) {
    const read = fetch(path, { headers: credentialHeaders(known.config, project, { method: "GET", path }) });
    read.catch(ignore);
    reads.set(`${project._id} ${path}`, read);
  }
}

function ignore(): void {}
