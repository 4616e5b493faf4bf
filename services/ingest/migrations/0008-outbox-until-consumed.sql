-- An event stays in the outbox after it was published, until its consumers have acknowledged it.

-- Which event store took the event, and its place there. Null: it is to be published.
alter table ingest.outbox
  add column if not exists published_into text collate "C",
  add column if not exists published_seq  bigint;

-- What the relay reads, however many rows wait for their consumers.
create index if not exists outbox_unpublished on ingest.outbox (id) where published_seq is null;

-- What was consumed, and what was published into a store that is no more.
create index if not exists outbox_published on ingest.outbox (published_into, published_seq)
  where published_seq is not null;
