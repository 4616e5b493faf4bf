-- How often a password was tried for an address lately, whether or not there is an account with it. Of addresses only a
-- keyed hash: people type passwords into the wrong field. Nothing here is under row-level security, for the reason 0001
-- gives.
create table auth.sign_in_attempts (
  address_hash bytea primary key,
  attempts integer not null,
  last_at timestamptz not null
);
create index sign_in_attempts_age on auth.sign_in_attempts (last_at);

grant select, insert, update, delete on auth.sign_in_attempts to touchstone_auth_app;
