export type {
  Answering,
  Bus,
  Call,
  ConsumeOptions,
  Consuming,
  DeadLetter,
  Delivery,
  Listening,
  PublishOptions,
  RequestOptions,
} from "./bus.ts";
export { BusError, type BusErrorKind, isBusError } from "./bus-error.ts";
export { type BusOptions, connectBus } from "./connect-bus.ts";
export type { EventStoreOptions } from "./event-streams.ts";
export { type NatsPermissions, natsPermissions } from "./nats-permissions.ts";
export {
  createOutboxRelay,
  type OutboxRelay,
  type OutboxRelayOptions,
  type OutboxRow,
  type OutboxStore,
} from "./outbox-relay.ts";
