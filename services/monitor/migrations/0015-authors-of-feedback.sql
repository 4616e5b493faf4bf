-- Which user voted. Null: a client with the key of the project did, or it was before this.
alter table monitor.feedback add column author_id text;
