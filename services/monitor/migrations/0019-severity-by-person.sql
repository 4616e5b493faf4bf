-- Whether a person set the severity of a signal: then it stays, else the newest occurrence sets it. Of the rows that exist nobody
-- knows, so they keep theirs.
alter table monitor.signals add column severity_by_person boolean not null default true;
alter table monitor.signals alter column severity_by_person set default false;
