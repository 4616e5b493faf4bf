-- A provider that was linked while the account's address was unverified: a reset by mail removes it, even if the address was
-- verified in between (decision 26).
alter table auth.accounts add column linked_unverified boolean not null default false;

update auth.accounts
set linked_unverified = true
from auth.users
where users.id = accounts.user_id and not users.email_verified and accounts.provider_id <> 'credential';
