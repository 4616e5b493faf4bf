import { AckPolicy, type JetStreamManager, type JsMsg, jetstream } from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { DeadLetter, DeadLetterFate, KeptDeadLetter } from "./bus.ts";
import { type EventStoreOptions, ensureDeadLetterStream, ensureEventStream, openJetStream } from "./event-streams.ts";
import { ensureConsumer } from "./pull-durable.ts";
import { storeMessage } from "./store-message.ts";
import { consumerName, deadLetterStream, deadLetterSubject, eventStream, replaySubject } from "./subjects.ts";
import { encodeBytes, header, readHeader } from "./wire.ts";

const reasonMaxChars = 500;
const sortBatchMax = 100;
const fetchWithinMs = 1_000;
const sortAckWaitMs = 30_000;
// The number of kept letters of one consumer that one call reads.
const keptAtOnceMax = 1_000;
// The consumer of an abandoned call is removed after this time.
const sortConsumerIdleMs = 5 * 60_000;

/**
 * Identifies one message of a stream, also across a wiped store, where sequence numbers start again at 1. The
 * publisher's message id does not suffice: a replay has the same.
 */
export function storedId(message: JsMsg): string {
  return `${message.seq}-${message.timestampNanos}`;
}

/**
 * Writes an event that one durable consumer gave up to `dead.<durable>.<subject>`, with unchanged body and headers, and
 * the reason. Repeated writes within two minutes store it once.
 */
export async function writeDeadLetter(
  nats: NatsConnection,
  store: EventStoreOptions,
  message: JsMsg,
  letter: DeadLetter,
): Promise<void> {
  const { durable, subject } = letter;
  const fields: Record<string, string> = {};
  for (const name of message.headers?.keys() ?? []) {
    // NATS's own headers refer to the stream the event came from.
    if (!name.startsWith("Nats-")) fields[name] = message.headers?.get(name) ?? "";
  }
  fields[header.messageId] = letter.messageId;
  fields[header.reason] = singleLine(letter.reason);
  fields[header.attempts] = String(letter.attempts);
  fields[header.natsMessageId] = `dead-${consumerName(durable, subject)}-${storedId(message)}`;
  fields[header.natsExpectedStream] = deadLetterStream;
  await storeMessage(nats, deadLetterSubject(durable, subject), encodeBytes(fields, message.data), (manager) =>
    ensureDeadLetterStream(manager, store),
  );
}

/**
 * Reads the current dead letters, oldest first, and treats each as `decide` returns. A replayed letter is published to
 * `replay.<durable>.<subject>`, which only that durable consumer reads, and removed once the event stream has it: a
 * crash in between publishes it twice, under one message id. A kept letter is available to the next call at once; after
 * a crash in the middle, half a minute later.
 */
export async function sortLetters(
  nats: NatsConnection,
  store: EventStoreOptions,
  { durable, subject }: { durable: string; subject: string },
  decide: (letter: KeptDeadLetter) => DeadLetterFate,
): Promise<Record<DeadLetterFate, number>> {
  const manager = await openJetStream(nats);
  await ensureDeadLetterStream(manager, store);
  const info = await ensureConsumer(manager, deadLetterStream, {
    durable_name: consumerName(durable, subject),
    filter_subject: deadLetterSubject(durable, subject),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(sortAckWaitMs),
    max_ack_pending: keptAtOnceMax,
    inactive_threshold: nanos(sortConsumerIdleMs),
  });
  const consumer = jetstream(nats).consumers.getConsumerFromInfo(info);
  const ensureEvents = (events: JetStreamManager) => ensureEventStream(events, store);
  const fates = { keep: 0, replay: 0, drop: 0 };
  const kept: JsMsg[] = [];
  try {
    // Letters kept earlier count as delivered. New letters wait for the next call.
    for (let left = info.num_pending + info.num_ack_pending; left > 0; ) {
      const batch = await consumer.fetch({ max_messages: Math.min(left, sortBatchMax), expires: fetchWithinMs });
      let fetched = 0;
      for await (const letter of batch) {
        const fate = decide(describeLetter(letter, { durable, subject }));
        if (fate === "keep") kept.push(letter);
        else {
          if (fate === "replay")
            await storeMessage(nats, replaySubject(durable, subject), asReplay(letter), ensureEvents);
          await letter.ackAck();
        }
        fates[fate] += 1;
        fetched += 1;
      }
      if (fetched === 0) break;
      left -= fetched;
    }
  } finally {
    for (const letter of kept) letter.nak();
    if (kept.length > 0 && !nats.isClosed()) await nats.flush();
  }
  return fates;
}

function describeLetter(message: JsMsg, of: { durable: string; subject: string }): KeptDeadLetter {
  return {
    ...of,
    id: String(message.seq),
    diedAt: new Date(Number(message.timestampNanos / 1_000_000n)).toISOString(),
    messageId: readHeader(message.headers, header.messageId) ?? "",
    reason: readHeader(message.headers, header.reason) ?? "",
    attempts: Number(readHeader(message.headers, header.attempts) ?? 0),
    body: new TextDecoder().decode(message.data),
  };
}

function asReplay(letter: JsMsg): ReturnType<typeof encodeBytes> {
  return encodeBytes(
    {
      [header.natsMessageId]: `replay-${storedId(letter)}`,
      [header.natsExpectedStream]: eventStream,
      [header.messageId]: letter.headers?.get(header.messageId) || null,
      [header.traceparent]: letter.headers?.get(header.traceparent) || null,
    },
    letter.data,
  );
}

/** A header holds one line of bounded length. */
function singleLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not enter a header
  return text.replace(/[\u0000-\u001f\u007f]+/g, " ").slice(0, reasonMaxChars);
}
