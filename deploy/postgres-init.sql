-- Prepares an empty database for Touchstone: a login for each service that owns a schema, and for each schema the three
-- roles that the service uses (owner migrates, app serves requests under row-level security, maintenance sweeps).
--
-- The postgres image runs it once, on an empty data folder. Elsewhere: set the five passwords and run
--   psql --no-psqlrc -v ON_ERROR_STOP=1 -f postgres-init.sql <url of an administrator, in the database to prepare>

\getenv auth_password AUTH_DB_PASSWORD
\getenv ingest_password INGEST_DB_PASSWORD
\getenv eval_runs_password EVAL_RUNS_DB_PASSWORD
\getenv judge_password JUDGE_DB_PASSWORD
\getenv monitor_password MONITOR_DB_PASSWORD

begin;

-- No other role may log in to this database; by default every role of the cluster may.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
end
$$;

create role touchstone_auth login password :'auth_password';
create role touchstone_auth_owner nologin;
create role touchstone_auth_app nologin;
create role touchstone_auth_maintenance nologin;
-- Without inherit the login itself has no rights: it must set a role, and then has only that role's rights.
grant touchstone_auth_owner, touchstone_auth_app, touchstone_auth_maintenance
  to touchstone_auth with inherit false, set true;
create schema auth authorization touchstone_auth_owner;

create role touchstone_ingest login password :'ingest_password';
create role touchstone_ingest_owner nologin;
create role touchstone_ingest_app nologin;
create role touchstone_ingest_maintenance nologin;
grant touchstone_ingest_owner, touchstone_ingest_app, touchstone_ingest_maintenance
  to touchstone_ingest with inherit false, set true;
create schema ingest authorization touchstone_ingest_owner;

create role touchstone_eval_runs login password :'eval_runs_password';
create role touchstone_evals_owner nologin;
create role touchstone_evals_app nologin;
create role touchstone_evals_maintenance nologin;
grant touchstone_evals_owner, touchstone_evals_app, touchstone_evals_maintenance
  to touchstone_eval_runs with inherit false, set true;
create schema evals authorization touchstone_evals_owner;

create role touchstone_judge login password :'judge_password';
create role touchstone_judge_owner nologin;
create role touchstone_judge_app nologin;
create role touchstone_judge_maintenance nologin;
grant touchstone_judge_owner, touchstone_judge_app, touchstone_judge_maintenance
  to touchstone_judge with inherit false, set true;
create schema judge authorization touchstone_judge_owner;

create role touchstone_monitor login password :'monitor_password';
create role touchstone_monitor_owner nologin;
create role touchstone_monitor_app nologin;
create role touchstone_monitor_maintenance nologin;
grant touchstone_monitor_owner, touchstone_monitor_app, touchstone_monitor_maintenance
  to touchstone_monitor with inherit false, set true;
create schema monitor authorization touchstone_monitor_owner;

do $$
begin
  execute format(
    'grant connect on database %I to touchstone_auth, touchstone_ingest, touchstone_eval_runs, touchstone_judge, touchstone_monitor',
    current_database()
  );
end
$$;

commit;
