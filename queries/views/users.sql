-- The user directory as of its latest readings. Users missing from a withheld list are still included.
create or replace view users as
select
    source, user_id, email, name, first_name, last_name, phone, administrator, account_owner,
    created_at, updated_at, extra, valid_from
from user_history
where valid_to is null;

-- The last known e-mail of each user, also of deleted users. It names them, but does not show when they existed.
create or replace view last_known_users as
select source, user_id, arg_max(email, valid_from) as email
from user_history
group by source, user_id;
