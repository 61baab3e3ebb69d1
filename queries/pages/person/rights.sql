-- name: collect
-- All rights of a user and how they came, at any time. The statements below and that of other members read them.
create or replace temp table own_access as
select
    source, way, operation, resource_kind, reach, policy_id, policy_name, object_id, object_name, valid_from, valid_to,
    way_from, way_to, right_from, right_to, held_since, granted_by, is_certain
from user_access
where cast(user_id as varchar) = $user_id
  and source = $source;

-- name: now
-- What a user can do at a moment, by right and way: on how many objects, some of their names, since when, by whom.
with
held as (
    select
        a.way, a.operation, a.resource_kind, a.reach, coalesce(a.policy_name, a.policy_id) as policy,
        coalesce(a.object_name, a.object_id) as object, a.held_since, a.granted_by, a.is_certain
    from own_access as a
    where
      -- part: access_on
)
select
    way, operation, resource_kind, reach, policy,
    count(distinct object) as objects,
    array_to_string(list_slice(list_sort(list(distinct object) filter (where object is not null)), 1, 3), ', ') as names,
    epoch_ms(max(held_since)) as since_ms,
    case when count(distinct granted_by) = 1 then min(granted_by) end as granted_by,
    bool_and(is_certain) as is_certain
from held
group by way, operation, resource_kind, reach, policy
order by
    (reach is not distinct from 'every database') desc, way = 'flag' desc, way = 'member' desc,
    operation in ('manage', 'administrator', 'account_owner') desc, policy nulls first, operation, resource_kind, reach;

-- name: ended
-- Rights of a user that ended in the 30 days before a moment and are held by no other way, the strongest first; of the
-- strongest, who ended it.
with
ended as (
    select
        a.source, a.operation, a.reach, coalesce(a.object_name, a.object_id) as object, a.valid_to, a.policy_id,
        row_number() over (order by
            (a.reach is not distinct from 'every database') desc,
            a.operation in ('administrator', 'account_owner', 'manage') desc,
            a.valid_to desc, a.operation, coalesce(a.object_name, a.object_id), a.way, a.policy_id
        ) as place
    from own_access as a
    where a.valid_to > $on::timestamp - interval '30 days'
      and a.valid_to <= $on::timestamp
      and a.is_certain
      and not exists (
          select 1
          from own_access as h
          where h.resource_kind = a.resource_kind
            and h.operation = a.operation
            and h.object_id is not distinct from a.object_id
            and (h.valid_from is null or h.valid_from <= $on::timestamp)
            and (h.valid_to is null or h.valid_to > $on::timestamp)
      )
),
-- The person who changed the policy or the user. A replaced set does not have each right in a change.
enders as (
    select c.source, c.event_time, c.subject_kind, c.subject_id, min(c.actor) as actor
    from permission_changes as c
    where c.event_time in (select e.valid_to from ended as e where e.place = 1)
    group by c.source, c.event_time, c.subject_kind, c.subject_id
)
select e.operation, e.reach, e.object, epoch_ms(e.valid_to) as ended_ms, n.actor as ended_by
from ended as e
left join enders as n
    on n.source = e.source and n.event_time = e.valid_to
    and (
        n.subject_kind = 'policy' and n.subject_id = e.policy_id
        or n.subject_kind = 'user' and n.subject_id = $user_id and e.policy_id is null
    )
where e.place <= 20
order by e.place;

-- name: given
-- Rights that a person gave and took, by quarters of an hour.
with
-- part: person_keys
given as (
    select c.event_time, c.change, c.operation
    from permission_changes as c
    left join ids as i on i.source = c.source and i.user_id = c.user_id
    left join emails as m on m.source = c.source and c.user_id is null and m.email = lower(c.actor_email)
    where c.event_time >= $since::timestamp
      and c.event_time < $until::timestamp
      and c.change in ('granted', 'revoked')
      and (i.user_id is not null or m.email is not null)
)
select
    epoch_ms(time_bucket(interval '15 minutes', event_time)) as slot_ms, change,
    coalesce(operation in ('manage', 'administrator', 'account_owner'), false) as is_full,
    count(*) as changes
from given
group by slot_ms, change, is_full
order by slot_ms, change, is_full;

-- name: strongest
-- The strongest rights that a person gave, the newest first: full access, administration, and all to the own account.
with
-- part: person_keys
given as (
    select
        c.source, c.event_time, c.event_key, c.operation, c.resource_kind, coalesce(c.object_name, c.object_id) as object,
        c.object_id, c.subject_kind, coalesce(c.subject_name, c.subject_id) as receiver,
        s.user_id is not null as is_own
    from permission_changes as c
    left join ids as i on i.source = c.source and i.user_id = c.user_id
    left join emails as m on m.source = c.source and c.user_id is null and m.email = lower(c.actor_email)
    left join ids as s
        on s.source = c.source and c.subject_kind = 'user' and cast(s.user_id as varchar) = c.subject_id
    where c.event_time >= $since::timestamp
      and c.event_time < $until::timestamp
      and c.change = 'granted'
      and (c.operation in ('manage', 'administrator', 'account_owner') or s.user_id is not null)
      and (i.user_id is not null or m.email is not null)
)
select
    epoch_ms(event_time) as time_ms, event_key, operation, resource_kind, object, subject_kind, receiver, is_own
from given
order by event_time desc, operation, object, receiver, event_key
limit $most;
