-- One row per policy or database that log or snapshots name and span of time in which it was there,
-- [valid_from, valid_to). valid_from is null where it was there before anything tells of it, valid_to while it is there.
-- One that is made or changed after its deletion is there again, and so is one that a snapshot shows. To be made and
-- deleted alternates, so that in one second whichever is told more often came last. Where both are equal it is there as
-- before, and was there before only where something said so. That somebody leaves a policy follows from a deletion, and
-- brings nothing back. Nor does a snapshot that lacks a policy say that it ever was.
create or replace view object_lives as
with
logged as (
    select
        source,
        case when canonical_name like 'database%' then 'database' else 'policy' end as object_kind,
        resource_id as object_id, event_time,
        case when canonical_name in ('permission_policy_create', 'database_create') then 1 else 0 end as made,
        case when canonical_name in ('permission_policy_delete', 'database_delete') then 1 else 0 end as deleted,
        canonical_name = 'permission_policy_detach_user' as is_left
    from access_event_rows
    where canonical_name in (
        'permission_policy_create', 'permission_policy_modify', 'permission_policy_delete',
        'permission_policy_attach_user', 'permission_policy_detach_user',
        'database_create', 'database_modify', 'database_permission_modify', 'database_delete'
    )
      and is_successful
      and resource_id <> ''
),
mentions as (
    select source, object_kind, object_id, event_time, made, deleted, 1 as is_logged
    from logged
    where not is_left
    union all
    select
        source, 'policy' as object_kind, policy_id as object_id, read_at as event_time,
        0 as made, case state when 'gone' then 1 else 0 end as deleted, 0 as is_logged
    from policy_snapshots
),
counted as (
    select
        source, object_kind, object_id, event_time,
        sum(made) as made, sum(deleted) as deleted, max(is_logged) as is_logged
    from mentions
    group by source, object_kind, object_id, event_time
),
-- Is_turned is 1 where it is there after the second by what is told in it, 0 where it is not.
turns as (
    select
        source, object_kind, object_id, event_time, made, deleted, is_logged,
        case when made > deleted or made + deleted = 0 then 1 when made < deleted then 0 end as is_turned
    from counted
),
numbered as (
    select
        source, object_kind, object_id, event_time, made, deleted, is_logged, is_turned,
        row_number() over object_in_time as place,
        count(is_turned) over object_in_time as turn,
        count(case when made + deleted > 0 then 1 end) over object_in_time as life
    from turns
    window object_in_time as (
        partition by source, object_kind, object_id order by event_time
        rows between unbounded preceding and current row
    )
),
seconds as (
    select
        source, object_kind, object_id, event_time, made, life,
        max(is_turned) over (partition by source, object_kind, object_id, turn) as is_there
    from numbered
    union all
    -- Whatever is told first of it but that it was made, it was there before.
    select source, object_kind, object_id, null as event_time, 0 as made, 0 as life, 1 as is_there
    from numbered
    where place = 1 and made + deleted = 0
       or place = 1 and made < deleted and is_logged = 1
),
lives as (
    select
        source, object_kind, object_id,
        case when count(*) = count(event_time) then min(event_time) filter (where is_there = 1) end as valid_from,
        lead(min(event_time)) over (partition by source, object_kind, object_id order by life) as valid_to,
        min(event_time) filter (where made > 0 and is_there = 1) as created_at,
        max(is_there) as is_there
    from seconds
    group by source, object_kind, object_id, life
)
select source, object_kind, object_id, valid_from, valid_to, created_at
from lives
where is_there = 1
union all
select distinct g.source, g.object_kind, g.object_id, null as valid_from, null as valid_to, null as created_at
from logged as g
where g.is_left
  and not exists (
      select 1 from mentions as m
      where m.source = g.source and m.object_kind = g.object_kind and m.object_id = g.object_id
  );
