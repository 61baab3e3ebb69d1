-- name: sighting
-- When the log names an address or a database for the first and the last time.
select epoch_ms(min(first_seen_at)) as first_seen_ms, epoch_ms(max(last_seen_at)) as last_seen_ms
from sightings
where subject_kind = $subject_kind
  and lower(subject) = lower($subject);

-- name: object_kind
-- What an object is: a database, a policy, or another object.
select
    case
    when exists (
        select 1 from sightings where subject_kind = 'database' and lower(subject) = lower($object)
    ) then 'Database'
    when exists (
        select 1 from policies where lower(policy_name) = lower($object) or policy_id = $object
    ) then 'Policy'
    else 'Object' end as kind;

-- name: holders
-- Who holds a right on an object, which an id or name names, or belongs to a policy of that name; of a database also who
-- may reach every one. Each row has their number.
with
held as (
    select
        a.person, a.operation, a.resource_kind, coalesce(a.object_name, a.object_id) as object, a.way,
        coalesce(a.policy_name, a.policy_id) as policy, a.held_since, a.granted_by,
        a.operation in ('manage', 'administrator', 'account_owner') as is_full
    from user_access as a
    where (
          lower(a.object_id) = lower($object)
          or lower(a.object_name) = lower($object)
          or a.reach = 'every database' and exists (
              select 1
              from sightings as s
              where s.source = a.source
                and s.subject_kind = 'database'
                and s.subject = lower($object)
          )
      )
      and
      -- part: access_on
)
select
    person, operation, resource_kind, object, way, policy, epoch_ms(max(held_since)) as since_ms,
    case when count(distinct granted_by) = 1 then min(granted_by) end as granted_by, is_full,
    count(*) over () as holders
from held
group by person, operation, resource_kind, object, way, policy, is_full
order by is_full desc, since_ms desc nulls last, person, operation, resource_kind, object, way, policy
limit $most;
