import { setTimeout as sleep } from "node:timers/promises";
import { JetStreamApiError, type JetStreamManager, type StreamInfo } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { type Login, natsOptions } from "../connection.ts";
import { openJetStream } from "../event-streams.ts";
import { deadLetterStream, eventStream } from "../subjects.ts";

export interface StreamReplicasOptions {
  /** Copies of each stream: 1, 3 or 5. */
  replicas: number;
  /** How long to wait until every copy is complete. */
  withinMs: number;
  print: (line: string) => void;
}

const pollMs = 500;
const noSuchStream = 10059;
const tooFewServers = 10005;

/**
 * Gives each existing stream so many copies while messages pass, and waits until all of them are complete. Returns
 * whether that is so; `print` gets one line for each stream, which says why if it is not. Rejects if NATS is unavailable.
 */
export async function setStreamReplicas(login: Login, options: StreamReplicasOptions): Promise<boolean> {
  const nats = await connect(natsOptions(login, "operator"));
  try {
    const manager = await openJetStream(nats);
    let isDone = true;
    // One after the other: a copy of a large stream occupies the network and the disks.
    for (const stream of [eventStream, deadLetterStream]) {
      const { done, text } = await replicate(manager, stream, options).catch(explainRefusal(options.replicas));
      options.print(`${stream}: ${text}`);
      isDone &&= done;
    }
    return isDone;
  } finally {
    await nats.close();
  }
}

interface Outcome {
  done: boolean;
  text: string;
}

async function replicate(
  { streams }: JetStreamManager,
  stream: string,
  { replicas, withinMs }: StreamReplicasOptions,
): Promise<Outcome> {
  const deadline = performance.now() + withinMs;
  let info = await streams.info(stream);
  // It would accept the setting and store one copy all the same.
  if (info.cluster?.name === undefined && replicas > 1) {
    return { done: false, text: "this NATS is not a cluster and stores one copy" };
  }
  if (info.config.num_replicas !== replicas) info = await streams.update(stream, { num_replicas: replicas });
  for (;;) {
    const complete = countCompleteCopies(info);
    if (complete === replicas) return { done: true, text: copies(replicas) };
    if (performance.now() > deadline) {
      return { done: false, text: `only ${complete} of ${copies(replicas)} complete so far; run the command again` };
    }
    await sleep(pollMs);
    // While the leader changes, there is no answer.
    info = await streams.info(stream).catch((error: unknown) => {
      if (error instanceof JetStreamApiError) throw error;
      return info;
    });
  }
}

/** The leader, and the followers that have everything it has. */
function countCompleteCopies({ cluster }: StreamInfo): number {
  if (cluster?.leader === undefined) return 0;
  return 1 + (cluster.replicas ?? []).filter(({ current, offline }) => current && offline !== true).length;
}

const copies = (count: number): string => (count === 1 ? "1 copy" : `${count} copies`);

const explainRefusal =
  (replicas: number) =>
  (error: unknown): Outcome => {
    const code = error instanceof JetStreamApiError ? error.code : null;
    if (code === noSuchStream) {
      return { done: true, text: "does not exist yet; a service creates it with SERVICE_NATS_REPLICAS copies" };
    }
    if (code === tooFewServers) return { done: false, text: `the cluster has too few servers for ${copies(replicas)}` };
    return { done: false, text: error instanceof Error ? error.message : String(error) };
  };
