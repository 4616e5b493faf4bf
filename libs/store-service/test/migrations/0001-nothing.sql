-- A schema without tables.
select 1;
