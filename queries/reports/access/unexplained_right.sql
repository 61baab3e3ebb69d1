-- title: Unexplained permissions
-- question: Which permissions does a snapshot show that the log does not explain?
-- family: access
-- grain: one row per permission of a policy, or flag of a user, and snapshot that shows it first without a change in the log
-- param: since timestamp = 7d
-- param: until timestamp = now
-- detection: high
-- attack: T1098
-- key: source, subject_kind, subject_id, resource_kind, operation, object_id
-- subject: policy holder
-- at: read_at
-- reach: all
-- condition: A reading of policies or users shows a right that no event of the log explains.
-- message: A reading at {read_at:time} shows {operation} of {holder}, which the log does not explain
-- next: auditlake report run permission_drift
-- runbook: Check whether the log has a gap. If it is complete, the right was changed in a way that the log does not record.
-- If the log never stated a policy's set, its first snapshot is the starting point and counts as explained. A user's
-- flag counts only if the log names it before the reading of the directory.
with
logged as (
    select source, subject_kind, subject_id, origin, scope_id, min(event_time) as logged_at
    from permission_marks
    where is_statement
      and (subject_kind = 'policy' or origin = 'flag')
    group by source, subject_kind, subject_id, origin, scope_id
    union all
    select source, 'policy' as subject_kind, policy_id as subject_id, 'set' as origin, null as scope_id,
        min(read_at) as logged_at
    from policy_snapshots
    where state <> 'gone'
    group by source, policy_id
),
known_policies as (
    select source, subject_id, min(logged_at) as logged_at
    from logged
    where subject_kind = 'policy'
    group by source, subject_id
),
readings as (
    select source, read_at
    from directory_readings
    where verdict in ('whole', 'loss', 'held_back', 'accepted')
),
flags as (
    select f.source, f.user_id, f.user_email, f.operation, f.is_held, r.read_at
    from directory_flags as f
    inner join logged as t
        on t.source = f.source
        and t.origin = 'flag'
        and t.subject_id = cast(f.user_id as varchar)
        and t.scope_id = f.operation
    inner join readings as r
        on r.source = f.source
        and r.read_at > t.logged_at
        and r.read_at >= f.valid_from
        and (f.valid_to is null or r.read_at < f.valid_to)
),
judged as (
    select
        source, user_id, user_email, operation, read_at,
        case
            when is_held and not exists (
                select 1
                from permission_spans as s
                where s.source = flags.source
                  and s.origin = 'flag'
                  and s.subject_id = cast(flags.user_id as varchar)
                  and s.operation = flags.operation
                  and (s.valid_from is null or s.valid_from <= flags.read_at)
                  and (s.valid_to is null or s.valid_to > flags.read_at)
            ) then 1
            else 0
        end as is_unexplained
    from flags
),
compared as (
    select
        source, user_id, user_email, operation, read_at, is_unexplained,
        lag(is_unexplained) over (partition by source, user_id, operation order by read_at) as was_unexplained
    from judged
),
unexplained as (
    select
        p.source, 'policy' as subject_kind, p.policy_id as subject_id,
        coalesce(p.policy_name, 'policy ' || p.policy_id) as holder, p.resource_kind, p.operation, p.object_id,
        p.object_name, p.valid_from as read_at
    from policy_permissions as p
    inner join policy_snapshots as r on r.source = p.source and r.policy_id = p.policy_id and r.read_at = p.valid_from
    inner join known_policies as t on t.source = p.source and t.subject_id = p.policy_id
    where p.operation is not null
      and r.place <> 'agreed'
      and t.logged_at < p.valid_from
      and not exists (
          select 1
          from permission_spans as s
          where s.source = p.source
            and s.subject_kind = 'policy'
            and s.subject_id = p.policy_id
            and s.resource_kind = p.resource_kind
            and s.operation = p.operation
            and coalesce(s.object_id, '') = coalesce(p.object_id, '')
            and coalesce(s.object_name, '') = coalesce(p.object_name, '')
            and (s.valid_from is null or s.valid_from <= p.valid_from)
            and (s.valid_to is null or s.valid_to > p.valid_from)
      )
    union all
    select
        source, 'user' as subject_kind, cast(user_id as varchar) as subject_id,
        coalesce(user_email, 'user ' || cast(user_id as varchar)) as holder, 'Account' as resource_kind, operation,
        cast(null as varchar) as object_id, cast(null as varchar) as object_name, read_at
    from compared
    where is_unexplained = 1
      and coalesce(was_unexplained, 0) = 0
)
select
    read_at,
    holder,
    resource_kind,
    operation,
    object_name,
    subject_kind,
    subject_id,
    object_id,
    cast(null as varchar) as event_key,
    source
from unexplained
where read_at >= cast($since as timestamp)
  and read_at < cast($until as timestamp)
order by read_at, holder, resource_kind, operation, object_name, subject_kind, subject_id, object_id, event_key, source
