export type {
  Answering,
  Backlog,
  Bus,
  Call,
  ConsumeOptions,
  Consuming,
  Consumption,
  DeadLetter,
  DeadLetterFate,
  Delivery,
  EventPlace,
  KeptDeadLetter,
  Listening,
  PublishOptions,
  RequestOptions,
} from "./bus.ts";
export { BusError, type BusErrorKind, isBusError } from "./bus-error.ts";
export { type BusOptions, connectBus } from "./connect-bus.ts";
export { readLogin } from "./connection.ts";
export { type BusLogin, runDeadLetterCommand, servicesOfUser } from "./dead-letter-command.ts";
export { type EventStoreOptions, redeliveryMaxDays } from "./event-streams.ts";
export { type NatsPermissions, natsPermissions, operatorPermissions } from "./nats-permissions.ts";
export { createOutboxKeeper, type OutboxKeeper } from "./outbox-keeper.ts";
export { createOutboxRelay, type OutboxRelay, type OutboxRelayOptions } from "./outbox-relay.ts";
export type { KeptOutboxStore, OutboxRow, OutboxStore, PublishedRow } from "./outbox-store.ts";
export { reportAtOnce } from "./report-at-once.ts";
