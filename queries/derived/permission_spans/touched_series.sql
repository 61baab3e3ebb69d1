-- Series changed by the new events: the series of these events, and of policies or users that they create or delete. A
-- series changes as one: a set, a share, a flag, or one membership. In the following steps series_key replaces its five
-- columns. The stored intervals of these series are deleted.
create or replace temp table touched_series as
with
due as (
    select source, event_key, event_time, canonical_name, resource_id
    from due_access_rows()
    where is_successful
),
marks as (
    select
        source, event_key, event_time, subject_kind, subject_id, origin, scope_id,
        case
            when subject_kind = 'policy' then subject_id
            when resource_kind = 'Policies' and origin = 'member' then object_id
        end as policy_id,
        case when subject_kind = 'user' then subject_id end as user_id
    from permission_mark_rows
    where is_statement and subject_id <> ''
),
turned as (
    select n.source
    from read_directions() as n
    left join former_directions as f on f.source = n.source
    where n.direction is distinct from f.direction
),
touched as (
    select m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.policy_id, m.user_id
    from marks as m
    inner join due as d on d.event_time = m.event_time and d.source = m.source and d.event_key = m.event_key
    union
    select m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.policy_id, m.user_id
    from marks as m
    inner join due as d on d.source = m.source and d.resource_id = m.policy_id
    where d.canonical_name in ('permission_policy_create', 'permission_policy_delete')
    union
    select m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.policy_id, m.user_id
    from marks as m
    inner join due as d on d.source = m.source and d.resource_id = m.user_id
    where d.canonical_name = 'user_delete'
    union
    -- Changes of one second are placed differently once the direction of their source is known.
    select m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.policy_id, m.user_id
    from marks as m
    inner join turned as t on t.source = m.source
    group by m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.policy_id, m.user_id, m.event_time
    having count(distinct m.event_key) > 1
)
select
    row_number() over () as series_key, source, subject_kind, subject_id, origin, scope_id, policy_id, user_id
from touched;

delete from permission_span_rows
where rowid in (
    select s.rowid
    from permission_span_rows as s
    semi join touched_series as t
        on t.source = s.source and t.subject_kind = s.subject_kind and t.subject_id = s.subject_id
        and t.origin = s.origin and t.scope_id = s.scope_id
);
