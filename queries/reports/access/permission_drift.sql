-- title: Permission drift
-- question: Where do policy snapshots or the user directory differ from the log?
-- family: access
-- grain: one row per permission that only one side has at the last snapshot; one row for a policy without a snapshot
-- param: on timestamp = now
-- Compares the last snapshot of each policy until `on` with the log as read. If the log has a change at the moment of
-- the snapshot, a snapshot that shows the set before or after it agrees. A policy whose set the log has not stated
-- since its creation is compared with its first snapshot. The flags of users in the log are compared with the last
-- reading of the directory until `on`; such a row has no policy, and the user as its object. A gap in the log and a
-- change after the last reading of the log show as drift.
with
-- part: standing
readings as (
    select
        source, policy_id, state, read_at, place,
        row_number() over (partition by source, policy_id order by read_at desc) as age
    from policy_snapshots
    where read_at <= cast($on as timestamp)
),
latest as (
    select source, policy_id, state, read_at
    from readings
    where age = 1
),
-- Snapshots that can differ from the log.
comparable as (
    select source, policy_id, read_at
    from readings
    where age = 1
      and place <> 'agreed'
),
-- The policy of that moment: an id may be used again.
present as (
    select
        comparable.source, comparable.policy_id, comparable.read_at,
        max(object_lives.valid_from) as valid_from
    from comparable
    inner join object_lives
        on object_lives.source = comparable.source
        and object_lives.object_id = comparable.policy_id
        and (object_lives.valid_from is null or object_lives.valid_from <= comparable.read_at)
        and (object_lives.valid_to is null or object_lives.valid_to > comparable.read_at)
    where object_lives.object_kind = 'policy'
    group by comparable.source, comparable.policy_id, comparable.read_at
),
stated as (
    select distinct present.source, present.policy_id
    from present
    inner join permission_marks
        on permission_marks.source = present.source
        and permission_marks.subject_id = present.policy_id
        and (
            present.valid_from is null
            or permission_marks.event_time >= present.valid_from and permission_marks.event_time <= present.read_at
        )
    where permission_marks.subject_kind = 'policy'
      and permission_marks.is_statement
),
firsts as (
    select present.source, present.policy_id, present.read_at, min(policy_snapshots.read_at) as first_read_at
    from present
    inner join policy_snapshots
        on policy_snapshots.source = present.source
        and policy_snapshots.policy_id = present.policy_id
        and (present.valid_from is null or policy_snapshots.read_at >= present.valid_from)
    left join stated
        on stated.source = present.source
        and stated.policy_id = present.policy_id
    where stated.policy_id is null
      and policy_snapshots.place = 'ordered'
    group by present.source, present.policy_id, present.read_at
),
-- The snapshots that are held against the log.
compared as (
    select source, policy_id, read_at, read_at as shown_at, 1 as in_snapshot, 'only in the snapshot' as alone
    from comparable
    union all
    select
        source, policy_id, read_at, first_read_at as shown_at, 0 as in_snapshot,
        'only in the first snapshot' as alone
    from firsts
),
both_ways as (
    select distinct
        compared.source, compared.policy_id, compared.read_at,
        policy_permissions.resource_kind, policy_permissions.operation, policy_permissions.object_id,
        policy_permissions.object_name, compared.in_snapshot, compared.alone
    from compared
    inner join policy_permissions
        on policy_permissions.source = compared.source
        and policy_permissions.policy_id = compared.policy_id
        and policy_permissions.valid_from <= compared.shown_at
        and (policy_permissions.valid_to is null or policy_permissions.valid_to > compared.shown_at)
    where policy_permissions.operation is not null
    union all
    select
        comparable.source, comparable.policy_id, comparable.read_at,
        permission_spans.resource_kind, permission_spans.operation, permission_spans.object_id,
        permission_spans.object_name, 0 as in_snapshot, 'only in the log' as alone
    from comparable
    inner join permission_spans
        on permission_spans.source = comparable.source
        and permission_spans.subject_id = comparable.policy_id
        and (permission_spans.valid_from is null or permission_spans.valid_from <= comparable.read_at)
        and (permission_spans.valid_to is null or permission_spans.valid_to > comparable.read_at)
    where permission_spans.subject_kind = 'policy'
),
-- The flags that the last list shows.
listed_flags as (
    select
        directory_flags.source, directory_flags.user_id, directory_flags.user_email, directory_flags.operation,
        directory_flags.is_held, last_lists.read_at
    from directory_flags
    inner join (
        select source, max(read_at) as read_at
        from directory_readings
        where read_at <= cast($on as timestamp)
          and verdict in ('whole', 'loss', 'held_back', 'accepted')
        group by source
    ) as last_lists
        on last_lists.source = directory_flags.source
        and directory_flags.valid_from <= last_lists.read_at
        and (directory_flags.valid_to is null or directory_flags.valid_to > last_lists.read_at)
),
flags as (
    select
        listed_flags.source, listed_flags.user_id, listed_flags.user_email, listed_flags.read_at,
        listed_flags.operation, listed_flags.is_held as is_listed,
        exists (
            select 1 from permission_spans
            where permission_spans.source = listed_flags.source
              and permission_spans.origin = 'flag'
              and permission_spans.subject_id = cast(listed_flags.user_id as varchar)
              and permission_spans.operation = listed_flags.operation
              and (permission_spans.valid_from is null or permission_spans.valid_from <= listed_flags.read_at)
              and (permission_spans.valid_to is null or permission_spans.valid_to > listed_flags.read_at)
        ) as is_logged
    from listed_flags
    where exists (
        select 1 from permission_marks
        where permission_marks.source = listed_flags.source
          and permission_marks.origin = 'flag'
          and permission_marks.subject_id = cast(listed_flags.user_id as varchar)
          and permission_marks.scope_id = listed_flags.operation
          and permission_marks.is_statement
          and permission_marks.event_time <= listed_flags.read_at
    )
),
-- Policies whose last existence interval ended with a snapshot without them, not with a deletion.
ended as (
    select latest.source, latest.policy_id, max(object_lives.valid_to) as ended_at
    from latest
    inner join object_lives
        on object_lives.source = latest.source
        and object_lives.object_id = latest.policy_id
        and object_lives.valid_to <= latest.read_at
    where latest.state = 'gone'
      and object_lives.object_kind = 'policy'
    group by latest.source, latest.policy_id
),
missed as (
    select ended.source, ended.policy_id
    from ended
    inner join policy_snapshots
        on policy_snapshots.source = ended.source
        and policy_snapshots.policy_id = ended.policy_id
        and policy_snapshots.read_at = ended.ended_at
    where policy_snapshots.state = 'gone'
      and policy_snapshots.place = 'ordered'
),
differences as (
    select
        source, policy_id, read_at, resource_kind, operation, object_id, object_name,
        min(alone) as difference
    from both_ways
    group by source, policy_id, read_at, resource_kind, operation, object_id, object_name
    having min(in_snapshot) = max(in_snapshot)
    union all
    select
        latest.source, latest.policy_id, latest.read_at,
        null as resource_kind, null as operation, null as object_id, null as object_name,
        'gone without a deletion in the log' as difference
    from latest
    inner join policies
        on policies.source = latest.source
        and policies.policy_id = latest.policy_id
    inner join missed
        on missed.source = latest.source
        and missed.policy_id = latest.policy_id
    union all
    select
        standing.source, standing.policy_id, null as read_at,
        null as resource_kind, null as operation, null as object_id, null as object_name,
        'no snapshot' as difference
    from standing
    where not exists (
        select 1 from latest
        where latest.source = standing.source
          and latest.policy_id = standing.policy_id
    )
    union all
    select
        source, null as policy_id, read_at,
        'Account' as resource_kind, operation, cast(user_id as varchar) as object_id, user_email as object_name,
        case when is_listed then 'only in the directory' else 'only in the log' end as difference
    from flags
    where is_listed <> is_logged
)
select
    coalesce(policies.policy_name, 'policy ' || differences.policy_id) as policy,
    differences.difference,
    differences.resource_kind,
    differences.operation,
    coalesce(
        case when differences.object_name like '(%'
        then coalesce(coalesce(databases.database_name, differences.object_id) || ' ', '') || differences.object_name end,
        differences.object_name, databases.database_name, differences.object_id
    ) as object,
    differences.read_at,
    differences.policy_id,
    differences.object_id,
    differences.source
from differences
left join policies
    on policies.source = differences.source
    and policies.policy_id = differences.policy_id
left join databases
    on databases.source = differences.source
    and databases.database_id = differences.object_id
    and differences.resource_kind = 'Databases'
order by policy, policy_id, difference, resource_kind, operation, object, object_id, read_at, source
