import { AckPolicy, type JetStreamManager, type JsMsg, jetstream } from "@nats-io/jetstream";
import { type NatsConnection, nanos } from "@nats-io/transport-node";
import type { DeadLetter } from "./bus.ts";
import { type EventStoreOptions, ensureDeadLetterStream, ensureEventStream, openJetStream } from "./event-streams.ts";
import { ensureConsumer } from "./pull-durable.ts";
import { storeMessage } from "./store-message.ts";
import { consumerName, deadLetterStream, deadLetterSubject, eventStream, replaySubject } from "./subjects.ts";
import { encodeBytes, header } from "./wire.ts";

const reasonMaxChars = 500;
const replayBatchMax = 100;
const fetchWithinMs = 1_000;
const replayAckWaitMs = 30_000;
// A replay that nobody repeats leaves no consumer behind.
const replayConsumerIdleMs = 5 * 60_000;

/**
 * Identifies one message of a stream, also across a wiped store, where sequence numbers start again at 1. The
 * publisher's message id would not do: a replay has the same.
 */
export function storedId(message: JsMsg): string {
  return `${message.seq}-${message.timestampNanos}`;
}

/**
 * Writes an event that one durable consumer gave up to `dead.<durable>.<subject>`, body and headers as they came,
 * with the reason. Written once, however often it is repeated within two minutes.
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
    // NATS's own headers speak of the stream the event came from.
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
 * Publishes the letters that are dead now to `replay.<durable>.<subject>`, which only that durable consumer reads,
 * and removes each once the event stream has it. A crash in between publishes a letter twice, under one message id.
 */
export async function replayLetters(
  nats: NatsConnection,
  store: EventStoreOptions,
  { durable, subject }: { durable: string; subject: string },
): Promise<number> {
  const manager = await openJetStream(nats);
  await ensureDeadLetterStream(manager, store);
  const info = await ensureConsumer(manager, deadLetterStream, {
    durable_name: consumerName(durable, subject),
    filter_subject: deadLetterSubject(durable, subject),
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(replayAckWaitMs),
    inactive_threshold: nanos(replayConsumerIdleMs),
  });
  const consumer = jetstream(nats).consumers.getConsumerFromInfo(info);
  const ensureEvents = (events: JetStreamManager) => ensureEventStream(events, store);
  let replayed = 0;
  // What dies again meanwhile is not counted here and waits for the next replay.
  for (let left = info.num_pending; left > 0; ) {
    const batch = await consumer.fetch({ max_messages: Math.min(left, replayBatchMax), expires: fetchWithinMs });
    let fetched = 0;
    for await (const letter of batch) {
      await storeMessage(nats, replaySubject(durable, subject), asReplay(letter), ensureEvents);
      await letter.ackAck();
      fetched += 1;
    }
    if (fetched === 0) break;
    left -= fetched;
    replayed += fetched;
  }
  return replayed;
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
