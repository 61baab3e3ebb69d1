-- One row per user, flag and span of time in which the directory showed them so; valid_to null of the version in force.
create or replace view directory_flags as
select
    h.source, h.user_id, lower(h.email) as user_email, f.operation,
    coalesce(case f.operation when 'administrator' then h.administrator else h.account_owner end, false) as is_held,
    h.valid_from, h.valid_to
from user_history as h
cross join (values ('administrator'), ('account_owner')) as f (operation);

-- One row per right of a policy or a user and span of time, [valid_from, valid_to), with what it is known from:
-- `logged`; `seen` in a snapshot of the policy or in the user directory; `inferred` of the time before the first
-- evidence, or where changes within one second leave it open; `contradicted` from the last change that the log
-- tells to the snapshot that disagrees with it, whichever of the two has the right. At any moment the newest
-- evidence counts: a snapshot from its reading to the next change that the log tells, the log from there to the
-- first reading after it. What began or ended between two readings, without a change in the log, is as they show.
-- subject, origin and object are as in permission_spans; category is the console's word (seed 000, What the service
-- does). snapshot_id is the snapshot that shows a right that was seen, or that contradicts one.
create or replace view access_timeline as
with
log_moments as (
    select source, subject_id as policy_id, event_time as changed_at
    from permission_mark_rows
    where subject_kind = 'policy' and is_statement and subject_id <> ''
    union
    select source, resource_id as policy_id, event_time as changed_at
    from access_event_rows
    where canonical_name = 'permission_policy_delete' and is_successful and resource_id <> ''
),
-- The changes between two readings of a policy, and the reading after them.
confirmed as (
    select l.source, l.policy_id, l.changed_at, s.read_at, s.snapshot_id
    from log_moments as l
    asof left join policy_snapshots as s
        on s.source = l.source and s.policy_id = l.policy_id and l.changed_at <= s.read_at
),
grouped as (
    select
        source, policy_id, read_at, max(snapshot_id) as snapshot_id,
        min(changed_at) as first_at, max(changed_at) as last_at
    from confirmed
    group by source, policy_id, read_at
),
first_readings as (
    select source, policy_id, min(read_at) as read_at
    from policy_snapshots
    group by source, policy_id
),
log_phases as (
    select
        g.source, g.policy_id, g.snapshot_id, g.last_at, g.read_at as until_at,
        -- Nothing was read before the first change: it tells of the time before, too.
        case
            when row_number() over policy_in_time > 1 or f.read_at < g.first_at then g.first_at
        end as from_at,
        g.first_at,
        lead(g.first_at) over policy_in_time as next_at
    from grouped as g
    left join first_readings as f on f.source = g.source and f.policy_id = g.policy_id
    window policy_in_time as (partition by g.source, g.policy_id order by g.first_at)
),
snapshot_phases as (
    select source, policy_id, until_at as from_at, next_at as until_at, false as is_first
    from log_phases
    where until_at is not null
    union all
    select f.source, f.policy_id, f.read_at as from_at, min(l.first_at) as until_at, true as is_first
    from first_readings as f
    left join log_phases as l on l.source = f.source and l.policy_id = f.policy_id
    group by f.source, f.policy_id, f.read_at
    having min(l.first_at) is null or f.read_at < min(l.first_at)
),
logged as (
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        s.valid_from, s.valid_to, s.is_uncertain,
        s.granted_by, s.granted_event_key, s.revoked_by, s.revoked_event_key,
        p.from_at, p.last_at, p.until_at, p.snapshot_id,
        p.until_at is not null and coalesce(s.valid_to > p.until_at, true) as is_checked
    from permission_spans as s
    inner join log_phases as p on p.source = s.source and p.policy_id = s.subject_id
    where s.subject_kind = 'policy'
      and coalesce(s.valid_from < p.until_at, true)
      and coalesce(p.from_at < s.valid_to, true)
),
shown as (
    select
        r.source, r.policy_id as subject_id, r.resource_kind, r.operation, r.object_id, r.object_name,
        min(r.valid_from) as valid_from,
        case when count(*) = count(r.valid_to) then max(r.valid_to) end as valid_to,
        max(r.snapshot_id) as snapshot_id
    from policy_permission_rows as r
    where r.operation is not null
    -- Entries that differ in what else they say are one right, as long as they follow each other.
    group by
        r.source, r.policy_id, r.resource_kind, r.operation, r.object_id, r.object_name,
        r.valid_from
),
compared as (
    select
        l.source, l.subject_id, l.resource_kind, l.operation, l.object_id, l.object_name,
        l.valid_from, l.valid_to, l.is_uncertain,
        l.granted_by, l.granted_event_key, l.revoked_by, l.revoked_event_key,
        l.from_at, l.last_at, l.until_at, l.snapshot_id,
        l.is_checked and not exists (
            select 1
            from shown as s
            where s.source = l.source and s.subject_id = l.subject_id
              and s.resource_kind = l.resource_kind and s.operation = l.operation
              and s.object_id is not distinct from l.object_id
              and s.object_name is not distinct from l.object_name
              and s.valid_from <= l.until_at and coalesce(s.valid_to > l.until_at, true)
        ) as is_contradicted
    from logged as l
),
of_policies as (
    select
        source, subject_id, resource_kind, operation, object_id, object_name,
        greatest(valid_from, from_at) as valid_from,
        least(valid_to, case when is_contradicted then greatest(last_at, valid_from, from_at) else until_at end)
            as valid_to,
        case when is_uncertain or granted_event_key is null then 'inferred' else 'logged' end as evidence,
        is_uncertain,
        case when coalesce(valid_from >= from_at, from_at is null) then granted_by end as granted_by,
        case when coalesce(valid_from >= from_at, from_at is null) then granted_event_key end as granted_event_key,
        case when coalesce(valid_to <= until_at, until_at is null) then revoked_by end as revoked_by,
        case when coalesce(valid_to <= until_at, until_at is null) then revoked_event_key end as revoked_event_key,
        null as snapshot_id
    from compared
    union all
    select
        source, subject_id, resource_kind, operation, object_id, object_name,
        greatest(last_at, valid_from, from_at) as valid_from, until_at as valid_to,
        'contradicted' as evidence, is_uncertain,
        null as granted_by, null as granted_event_key, null as revoked_by, null as revoked_event_key, snapshot_id
    from compared
    where is_contradicted
    union all
    -- What the reading after a change shows and the log does not.
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        p.last_at as valid_from, p.until_at as valid_to, 'contradicted' as evidence, false as is_uncertain,
        null as granted_by, null as granted_event_key, null as revoked_by, null as revoked_event_key, p.snapshot_id
    from log_phases as p
    inner join shown as s
        on s.source = p.source and s.subject_id = p.policy_id
        and s.valid_from <= p.until_at and coalesce(s.valid_to > p.until_at, true)
    left join logged as l
        on l.is_checked and l.source = s.source and l.subject_id = s.subject_id and l.until_at = p.until_at
        and l.resource_kind = s.resource_kind and l.operation = s.operation
        and l.object_id is not distinct from s.object_id and l.object_name is not distinct from s.object_name
    where l.source is null
    union all
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        greatest(s.valid_from, p.from_at) as valid_from, least(s.valid_to, p.until_at) as valid_to,
        'seen' as evidence, false as is_uncertain,
        null as granted_by, null as granted_event_key, null as revoked_by, null as revoked_event_key, s.snapshot_id
    from shown as s
    inner join snapshot_phases as p on p.source = s.source and p.policy_id = s.subject_id
    where coalesce(s.valid_from < p.until_at, true)
      and coalesce(p.from_at < s.valid_to, true)
    union all
    -- The first reading tells of the time before, back to where the policy was made.
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        o.created_at as valid_from, p.from_at as valid_to, 'inferred' as evidence, false as is_uncertain,
        null as granted_by, null as granted_event_key, null as revoked_by, null as revoked_event_key, s.snapshot_id
    from shown as s
    inner join snapshot_phases as p
        on p.is_first and p.source = s.source and p.policy_id = s.subject_id and p.from_at = s.valid_from
    left join policies as o on o.source = s.source and o.policy_id = s.subject_id
),
-- Who first stands on a later list was not there before it.
openings as (
    select source, min(valid_from) as first_read_at
    from user_history
    group by source
),
versions as (
    select
        d.source, d.user_id, d.operation, d.is_held, d.valid_to,
        nullif(d.valid_from, o.first_read_at) as valid_from,
        case
            when d.is_held and lag(d.is_held) over versions_in_time
                and lag(d.valid_to) over versions_in_time = d.valid_from then 0
            else 1
        end as opens
    from directory_flags as d
    inner join openings as o on o.source = d.source
    window versions_in_time as (partition by d.source, d.user_id, d.operation order by d.valid_from)
),
numbered as (
    select
        source, user_id, operation, is_held, valid_from, valid_to,
        sum(opens) over (
            partition by source, user_id, operation order by valid_from nulls first
            rows between unbounded preceding and current row
        ) as place
    from versions
),
listed_flags as (
    select
        source, user_id, operation,
        case when count(*) = count(valid_from) then min(valid_from) end as valid_from,
        case when count(*) = count(valid_to) then max(valid_to) end as valid_to
    from numbered
    where is_held
    group by source, user_id, operation, place
),
logged_flags as (
    select distinct source, subject_id, scope_id as operation
    from permission_mark_rows
    where origin = 'flag' and is_statement
),
of_all as (
    select
        source, 'policy' as subject_kind, subject_id, 'set' as origin, resource_kind, operation, object_id,
        object_name, valid_from, valid_to, evidence, is_uncertain, granted_by, granted_event_key, revoked_by,
        revoked_event_key, snapshot_id
    from of_policies
    where coalesce(valid_from < valid_to, true)
    union all
    select
        source, subject_kind, subject_id, origin, resource_kind, operation, object_id,
        object_name, valid_from, valid_to,
        case when is_uncertain or granted_event_key is null then 'inferred' else 'logged' end as evidence,
        is_uncertain, granted_by, granted_event_key, revoked_by, revoked_event_key, null as snapshot_id
    from permission_spans
    where subject_kind = 'user'
    union all
    -- Of a flag that the log never speaks of, the directory tells, its first reading also for the time before.
    select
        f.source, 'user' as subject_kind, cast(f.user_id as varchar) as subject_id, 'flag' as origin,
        'Account' as resource_kind, f.operation, null as object_id, null as object_name, f.valid_from, f.valid_to,
        'seen' as evidence, false as is_uncertain, null as granted_by, null as granted_event_key,
        null as revoked_by, null as revoked_event_key, null as snapshot_id
    from listed_flags as f
    left join logged_flags as l
        on l.source = f.source and l.subject_id = cast(f.user_id as varchar) and l.operation = f.operation
    where l.subject_id is null
)
select
    source, subject_kind, subject_id, origin, resource_kind, operation,
    case when resource_kind = 'Databases' then object_id end as database_id,
    object_id, object_name,
    case
        when resource_kind = 'Databases' then case operation
            when 'manage' then 'full access'
            when 'download' then 'limited access'
            when 'owner_manage' then 'manage own'
            when 'import' then 'import only'
            when 'query' then 'query only'
            when 'edit' then 'general'
        end
    end as category,
    valid_from, valid_to, evidence, is_uncertain,
    granted_by, granted_event_key, revoked_by, revoked_event_key, snapshot_id
from of_all;
