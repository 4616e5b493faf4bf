-- The catalogue of models is auth's (decision 29). Ingest keeps the prices that auth announces, to estimate what traces cost.

-- What one owner changed in the built-in prices: an organization, or a project that is in none. One row for each, replaced
-- as a whole.
create table ingest.price_lists (
  owner_id uuid primary key,
  -- Grows with every change: an older list never replaces a newer one.
  revision bigint not null,
  changes json not null
);
alter table ingest.price_lists enable row level security;
alter table ingest.price_lists force row level security;
-- The list that a scope names holds owners beside projects.
create policy owner_scope on ingest.price_lists for select to touchstone_ingest_app
  using (owner_id = any ((select ingest.projects())::uuid[]));
create policy every_owner on ingest.price_lists to touchstone_ingest_maintenance using (true) with check (true);
grant select on ingest.price_lists to touchstone_ingest_app;
grant select, insert, update, delete on ingest.price_lists to touchstone_ingest_maintenance;

-- What projects had changed here goes to auth. The table stays for a previous release that may still be running; nothing
-- of this one reads it.
-- The owner of a table sees its rows only while row-level security is not forced.
alter table ingest.model_prices no force row level security;
insert into ingest.outbox (subject, body)
select
  'event.model-prices.handed-over.v1',
  json_build_object(
    'projectId', project_id,
    'changes', json_agg(
      json_build_object(
        'model', model, 'provider', provider, 'label', label, 'input', input_price, 'output', output_price,
        'cacheRead', cache_read_price, 'cacheWrite', cache_write_price, 'isRemoved', is_removed
      )
      order by model
    )
  )::text
from ingest.model_prices
group by project_id
order by project_id;
alter table ingest.model_prices force row level security;
