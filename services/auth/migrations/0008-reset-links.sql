-- A new password revokes the reset links that were mailed before it; a link's value is the user's id. Values of other rows are long,
-- which only a hash index takes.
create index verifications_value on auth.verifications using hash (value);
