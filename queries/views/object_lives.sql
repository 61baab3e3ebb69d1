-- One row per policy or database in log or snapshots and existence interval [valid_from, valid_to). valid_from is null
-- if the object is older than its first evidence, valid_to while it exists. An object created or changed after its
-- deletion exists again, and so does one in a snapshot. Creation and deletion alternate, so in one second the more
-- frequent of both came last. If both are equally frequent, the state stays as before, and the object existed before
-- only with evidence. An object deleted in the second of its creation has an interval of length zero. Users who leave a
-- policy because of its deletion do not restore it. A snapshot without a policy does not show that it ever existed;
-- users who left it before do.
create or replace view object_lives as
with
mentions as (
    select
        source,
        case when canonical_name like 'database%' then 'database' else 'policy' end as object_kind,
        resource_id as object_id, event_time,
        case
            when canonical_name in ('permission_policy_create', 'database_create') then 'made'
            when canonical_name in ('permission_policy_delete', 'database_delete') then 'deleted'
            when canonical_name = 'permission_policy_detach_user' then 'left'
            else 'there'
        end as evidence
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user',
        'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
    )
      and is_successful
      and resource_id <> ''
    union all
    select
        source, 'policy' as object_kind, policy_id as object_id, read_at as event_time,
        case state when 'gone' then 'absent' else 'there' end as evidence
    from policy_snapshots
    where place = 'ordered'
),
counted as (
    select
        source, object_kind, object_id, event_time,
        count(case when evidence = 'made' then 1 end) as made,
        count(case when evidence <> 'made' then 1 end) as gone,
        count(case when evidence = 'deleted' then 1 end) as deleted
    from mentions
    where evidence in ('made', 'deleted', 'absent')
    group by source, object_kind, object_id, event_time
),
turns as (
    select
        source, object_kind, object_id, event_time as turned_at, made, gone, deleted,
        row_number() over object_in_time as turn,
        lead(event_time) over object_in_time as next_at
    from counted
    window object_in_time as (partition by source, object_kind, object_id order by event_time)
    union all
    -- What was before the first one.
    select
        source, object_kind, object_id, null as turned_at, 0 as made, 0 as gone, 0 as deleted,
        0 as turn, min(event_time) as next_at
    from counted
    group by source, object_kind, object_id
),
-- The first other evidence of existence between two turns.
mentioned as (
    select
        t.source, t.object_kind, t.object_id, t.turn,
        min(case when m.evidence = 'there' then m.event_time end) as mentioned_at,
        count(case when m.evidence = 'left' then 1 end) as lefts
    from turns as t
    inner join mentions as m
        on m.source = t.source and m.object_kind = t.object_kind and m.object_id = t.object_id
    where m.evidence in ('there', 'left')
      and (t.turned_at is null or m.event_time > t.turned_at)
      and (t.next_at is null or m.event_time < t.next_at)
    group by t.source, t.object_kind, t.object_id, t.turn
),
-- is_turned is null if equal evidence supports both states after the turn.
decided as (
    select
        t.source, t.object_kind, t.object_id, t.turn, t.turned_at, t.next_at, t.made, m.mentioned_at,
        case
            when t.turn = 0 then case
                when lead(t.deleted > t.made) over object_in_time then 1
                when m.lefts > 0 and lead(t.gone > t.made) over object_in_time then 1
                else 0
            end
            when t.made > t.gone then 1
            when t.made < t.gone then 0
        end as is_turned
    from turns as t
    left join mentioned as m
        on m.source = t.source and m.object_kind = t.object_kind and m.object_id = t.object_id and m.turn = t.turn
    window object_in_time as (partition by t.source, t.object_kind, t.object_id order by t.turn)
),
-- An undecided turn leaves the state of the last decided one.
followed as (
    select
        source, object_kind, object_id, turn, turned_at, next_at, made, mentioned_at,
        coalesce(is_turned, max(
            2 * turn + case when mentioned_at is not null then 1 else is_turned end
        ) over before_it % 2) as is_there
    from decided
    window before_it as (
        partition by source, object_kind, object_id order by turn rows between unbounded preceding and 1 preceding
    )
)
select
    source, object_kind, object_id,
    case when turn > 0 and is_there = 1 then turned_at when turn > 0 then mentioned_at end as valid_from,
    next_at as valid_to,
    case when made > 0 and is_there = 1 then turned_at end as created_at
from followed
where is_there = 1
   or mentioned_at is not null
union all
select source, object_kind, object_id, turned_at as valid_from, turned_at as valid_to, turned_at as created_at
from followed
where is_there = 0
  and made > 0
union all
select distinct m.source, m.object_kind, m.object_id, null as valid_from, null as valid_to, null as created_at
from mentions as m
where not exists (
    select 1 from counted as c
    where c.source = m.source and c.object_kind = m.object_kind and c.object_id = m.object_id
);
