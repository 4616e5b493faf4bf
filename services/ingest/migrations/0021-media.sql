-- Images, audio and files that traces refer to (completions 2.10, decision 59).
create table ingest.media (
  project_id     uuid not null,
  -- The beginning of the hash, in base64url: what texts refer to.
  id             text collate "C" not null,
  sha256         bytea not null,
  content_type   text not null,
  content_length integer not null,
  created_at     timestamptz not null,
  -- Null: its content is missing.
  uploaded_at    timestamptz,
  -- When to look whether a trace has it; null = one does.
  due_at         timestamptz,
  primary key (project_id, id)
);
create index media_due on ingest.media (due_at) where due_at is not null;

-- Content in parts, so that neither side ever holds more than one of them.
create table ingest.media_parts (
  project_id uuid not null,
  media_id   text collate "C" not null,
  number     integer not null,
  bytes      bytea not null,
  primary key (project_id, media_id, number),
  foreign key (project_id, media_id) references ingest.media on delete cascade
);
-- It is compressed already.
alter table ingest.media_parts alter column bytes set storage external;

-- What names media. A trace may be stored later or never, so nothing refers to it.
create table ingest.media_links (
  project_id uuid not null,
  media_id   text collate "C" not null,
  -- As of a score: of a UUID the 32 digits.
  trace_key  text collate "C" not null,
  -- Empty where the client did not say.
  span_id    text collate "C" not null,
  field      text collate "C" not null,
  created_at timestamptz not null,
  -- When to look whether the trace is stored; null = it is.
  due_at     timestamptz,
  primary key (project_id, media_id, trace_key, span_id, field)
);
create index media_links_of_trace on ingest.media_links (project_id, trace_key);
create index media_links_due on ingest.media_links (due_at) where due_at is not null;

-- Media goes with the last trace that names it. Whoever adds a link inserts it before it locks the media: either the link
-- is seen here, or its media is found missing there, and made again.
create function ingest.remove_unnamed_media() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  named record;
begin
  for named in select distinct project_id, media_id from gone order by project_id, media_id loop
    perform from ingest.media where project_id = named.project_id and id = named.media_id for update;
    delete from ingest.media
    where project_id = named.project_id and id = named.media_id and not exists (
      select from ingest.media_links where project_id = named.project_id and media_id = named.media_id
    );
  end loop;
  return null;
end
$$;
create trigger remove_unnamed_media after delete on ingest.media_links
  referencing old table as gone
  for each statement execute function ingest.remove_unnamed_media();

do $$
declare
  name text;
begin
  foreach name in array array['media', 'media_parts', 'media_links'] loop
    execute format('alter table ingest.%I enable row level security', name);
    execute format('alter table ingest.%I force row level security', name);
    execute format(
      'create policy project_scope on ingest.%I to touchstone_ingest_app
         using (project_id = any ((select ingest.projects())::uuid[]))
         with check (project_id = any ((select ingest.projects())::uuid[]))', name
    );
    execute format(
      'create policy every_project on ingest.%I to touchstone_ingest_maintenance using (true) with check (true)', name
    );
    execute format(
      'grant select, insert, update, delete on ingest.%I to touchstone_ingest_app, touchstone_ingest_maintenance', name
    );
  end loop;
end
$$;
