-- Compares the directory just read with the versions in force: changed ones end, new and changed ones start, missing
-- users end: all of them, only those missing from the previous list too, or none. A withheld list (`undecided`) ends
-- none and does not count as agreeing. A user ends at the moment of the reading, since the end was unknown before.
create or replace temp table changed_users as
select i.user_id
from incoming_users as i
left join user_history as h on h.source = $source and h.user_id = i.user_id and h.valid_to is null
where h.user_id is null
   or (h.email, h.name, h.first_name, h.last_name, h.phone, h.administrator, h.account_owner, h.created_at, h.extra)
      is distinct from
      (i.email, i.name, i.first_name, i.last_name, i.phone, i.administrator, i.account_owner, i.created_at, i.extra);

create or replace temp table ending_users as
select user_id
from known_users
where not is_listed
  and ($ends = 'all' or ($ends = 'missing_before' and missing_since is not null));

update user_history
set valid_to = $read_at::timestamp
where source = $source
  and valid_to is null
  and (
      user_id in (select user_id from changed_users)
      or user_id in (select user_id from ending_users)
  );

insert into user_history (
    source, user_id, email, name, first_name, last_name, phone, administrator, account_owner,
    created_at, updated_at, extra, valid_from, valid_to
)
select
    $source as source, i.user_id, i.email, i.name, i.first_name, i.last_name, i.phone, i.administrator,
    i.account_owner, i.created_at, i.updated_at, i.extra, $read_at::timestamp as valid_from, null as valid_to
from incoming_users as i
inner join changed_users as c on c.user_id = i.user_id
order by i.user_id;

delete from directory_losses
where source = $source
  and $ends <> 'undecided';

insert into directory_losses (source, user_id, missing_since)
select $source as source, k.user_id, coalesce(k.missing_since, $read_at::timestamp) as missing_since
from known_users as k
where not k.is_listed
  and $ends <> 'undecided'
  and k.user_id not in (select e.user_id from ending_users as e)
order by k.user_id;

insert into access_due (source, subject_kind, subject_id)
select $source as source, 'user' as subject_kind, cast(user_id as varchar) as subject_id
from changed_users
union
select $source as source, 'user' as subject_kind, cast(user_id as varchar) as subject_id
from ending_users;

-- Events since their first name these users by what the directory says.
insert into known_changes (change_id, first_time, last_time)
select
    (select coalesce(max(change_id), 0) + 1 from known_changes) as change_id,
    least(min(s.first_seen_at), $read_at::timestamp) as first_time,
    greatest(max(s.last_seen_at), $read_at::timestamp) as last_time
from sighting_rows as s
where s.source = $source
  and s.subject_kind = 'user'
  and s.subject in (
      select cast(user_id as varchar) from changed_users
      union
      select cast(user_id as varchar) from ending_users
  )
having count(*) > 0;
