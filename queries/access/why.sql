-- By what a person reaches a database at a moment, step by step. First comes the right, and where it comes through a
-- policy, how they came to belong to that.
with
reaching as (
    select
        a.source, a.user_id, a.way, a.policy_id, coalesce(a.policy_name, a.policy_id) as policy,
        a.operation, a.reach, a.database_id, a.held_since, a.granted_by, a.granted_event_key, a.known_from,
        a.is_certain
    from user_access as a
    left join databases as d on d.source = a.source and d.database_id = $database_id
    where cast(a.user_id as varchar) = $user_id
      and a.reach is not null
      and ($source is null or a.source = $source)
      and
      -- part: access_on
      and (
          a.reach = 'one database' and a.database_id = $database_id
          or a.reach = 'own databases' and d.creator_user_id = a.user_id
          or a.reach in ('every database', 'databases not shown')
      )
      and coalesce(d.deleted_at > $on::timestamp, true)
),
steps as (
    select
        source, way, policy, policy_id, operation, reach, 1 as step,
        case way when 'flag' then 'is ' || replace(operation, '_', ' ') else 'holds ' || operation end as what,
        held_since as since, granted_by as given_by, known_from as evidence, is_certain,
        granted_event_key as event_key
    from reaching
    where way <> 'policy'
    union all
    select
        r.source, r.way, r.policy, r.policy_id, r.operation, r.reach, 1 as step, 'belongs to the policy' as what,
        m.held_since as since, m.granted_by as given_by,
        case
            when m.evidence = 'unknown' then 'gap in the log'
            when m.is_uncertain then 'log, order unknown'
            else 'log'
        end as evidence,
        m.evidence <> 'unknown' and not m.is_uncertain as is_certain, m.granted_event_key as event_key
    from reaching as r
    inner join access_timeline as m
        on m.source = r.source and m.origin = 'member' and m.resource_kind = 'Policies'
        and m.subject_id = cast(r.user_id as varchar) and m.object_id = r.policy_id
        and
        -- part: valid_on
    where r.way = 'policy'
    union all
    select
        r.source, r.way, r.policy, r.policy_id, r.operation, r.reach, 2 as step,
        'the policy holds ' || r.operation as what,
        p.held_since as since, p.granted_by as given_by, p.known_from as evidence, p.is_certain,
        p.granted_event_key as event_key
    from reaching as r
    inner join policy_rights as p
        on p.source = r.source and p.policy_id = r.policy_id and p.operation = r.operation and p.reach = r.reach
        and p.database_id is not distinct from r.database_id
        and
        -- part: valid_on
    where r.way = 'policy'
)
select distinct
    s.way, s.policy, s.operation, s.reach, s.step, s.what, s.since, s.given_by, s.evidence,
    s.is_certain and coalesce($on::timestamp >= l.unread_until, true) as is_certain,
    s.event_key, s.policy_id, s.source
from steps as s
left join unread_log as l on l.source = s.source and l.unread_from is null and not l.is_pruned
order by
    s.way, s.policy, s.operation, s.reach, s.policy_id, s.step, s.what, s.since, s.given_by, s.evidence, s.event_key,
    s.source
