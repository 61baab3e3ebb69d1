-- The user directory as of its latest readings: users whom a list lacked that was kept aside are among them still.
create or replace view users as
select
    source, user_id, email, name, first_name, last_name, phone, administrator, account_owner,
    created_at, updated_at, extra, valid_from
from user_history
where valid_to is null;

-- The last e-mail known of each user, also of users who are gone from the directory. It names them, and not when they
-- were there.
create or replace view last_known_users as
select source, user_id, arg_max(email, valid_from) as email
from user_history
group by source, user_id;
