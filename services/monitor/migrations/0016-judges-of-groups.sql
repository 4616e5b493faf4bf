-- What each judge of a group gave, and the record behind it: [{ scorerId, name, rating, verdictId }]. Null: no group said it, or
-- it is older.
alter table monitor.verdicts add column judges json;
alter table monitor.session_scores add column judges json;
