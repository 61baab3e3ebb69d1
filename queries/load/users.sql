-- The directory as just read against the versions in force: what changed or vanished ends, what is new or
-- changed begins.
create or replace temp table changed_users as
select i.user_id
from incoming_users as i
left join user_history as h on h.source = $source and h.user_id = i.user_id and h.valid_to is null
where h.user_id is null
   or (h.email, h.name, h.first_name, h.last_name, h.phone, h.administrator, h.account_owner, h.created_at, h.extra)
      is distinct from
      (i.email, i.name, i.first_name, i.last_name, i.phone, i.administrator, i.account_owner, i.created_at, i.extra);

update user_history
set valid_to = $seen_at::timestamp
where source = $source
  and valid_to is null
  and (
      user_id in (select user_id from changed_users)
      or user_id not in (select user_id from incoming_users)
  );

insert into user_history (
    source, user_id, email, name, first_name, last_name, phone, administrator, account_owner,
    created_at, updated_at, extra, valid_from, valid_to
)
select
    $source as source, i.user_id, i.email, i.name, i.first_name, i.last_name, i.phone, i.administrator,
    i.account_owner, i.created_at, i.updated_at, i.extra, $seen_at::timestamp as valid_from, null as valid_to
from incoming_users as i
inner join changed_users as c on c.user_id = i.user_id
order by i.user_id;
