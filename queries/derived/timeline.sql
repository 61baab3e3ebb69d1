-- The timeline of whoever is due. For a policy and a moment the newest evidence counts. That is a snapshot from its
-- reading to the next change in the log, and the log from there to the first reading after it. Between the last change
-- and a reading that disagrees it is `contradicted`. From the beginning of a gap in the ledger to the next evidence of
-- the same thing, what was held is `unknown`. So it is before the gap where nothing had told of it, and what that
-- evidence found and nothing had shown before. A gap without a length stands where the log is not read any further. It
-- lasts to the first reading after it, of those that were read later. A reading that agrees with a change of its
-- interval adds nothing, since the log has the order (queries/derived/readings.sql). One that disputes the changes of
-- its interval contradicts the last of them until the next evidence. What is known from a reading without a time of the
-- service alone is uncertain. So is what the first reading after a creation shows of the time between them.
delete from access_timeline_rows
where rowid in (
    select r.rowid
    from access_timeline_rows as r
    semi join access_due as d
        on d.source = r.source and d.subject_kind = r.subject_kind and d.subject_id = r.subject_id
);

insert into access_timeline_rows (
    source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
    valid_from, valid_to, held_since, evidence, is_uncertain,
    granted_by_user_id, granted_by_user_email, granted_event_key,
    revoked_by_user_id, revoked_by_user_email, revoked_event_key, snapshot_id
)
with
due as (
    select distinct source, subject_kind, subject_id from access_due
),
spans as (
    select
        s.source, s.subject_kind, s.subject_id, s.origin, s.scope_id, s.resource_kind, s.operation, s.object_id,
        s.object_name, s.valid_from, s.valid_to, s.is_uncertain,
        case when s.granted_event_key is not null then {
            'key': s.granted_event_key, 'user_id': s.granted_by_user_id, 'email': s.granted_by_user_email
        } end as granting,
        case when s.revoked_event_key is not null then {
            'key': s.revoked_event_key, 'user_id': s.revoked_by_user_id, 'email': s.revoked_by_user_email
        } end as revoking
    from permission_span_rows as s
    semi join due as d
        on d.source = s.source and d.subject_kind = s.subject_kind and d.subject_id = s.subject_id
),
marks as (
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time, m.event_key,
        m.resource_kind, m.operation, m.object_id, m.object_name, m.is_held_before, m.is_held_after
    from permission_mark_rows as m
    semi join due as d
        on d.source = m.source and d.subject_kind = m.subject_kind and d.subject_id = m.subject_id
    where m.is_statement and m.subject_id <> ''
),
moments as (
    select source, subject_id as policy_id, event_time as changed_at, false as is_making
    from marks
    where subject_kind = 'policy'
    union all
    select
        e.source, e.resource_id as policy_id, e.event_time as changed_at,
        e.canonical_name = 'permission_policy_create' as is_making
    from access_event_rows as e
    semi join due as d on d.source = e.source and d.subject_kind = 'policy' and d.subject_id = e.resource_id
    where e.canonical_name in ('permission_policy_create', 'permission_policy_delete') and e.is_successful
),
-- is_making: the policy is created, and nothing states with which set.
log_moments as (
    select source, policy_id, changed_at, bool_and(is_making) as is_making
    from moments
    group by source, policy_id, changed_at
),
all_readings as (
    select
        s.source, s.policy_id, s.read_at, s.snapshot_id, s.earliest_at is not null as is_dated,
        s.place = 'disputed' as is_disputed, coalesce(s.latest_at, s.read_at + interval 30 hour) as latest_at
    from policy_snapshots as s
    semi join due as d on d.source = s.source and d.subject_kind = 'policy' and d.subject_id = s.policy_id
    where s.place <> 'agreed'
),
readings as (
    select source, policy_id, read_at, snapshot_id, is_dated
    from all_readings
    where not is_disputed
),
-- A disputed reading counts to the end of what it disputes: until the log states the next set.
placed as (
    select
        r.source, r.policy_id, coalesce(min(l.changed_at) - interval 1 microsecond, 'infinity') as placed_at,
        min(l.changed_at) as end_at, r.read_at, r.snapshot_id, true as is_disputed
    from all_readings as r
    left join log_moments as l
        on l.source = r.source and l.policy_id = r.policy_id and l.changed_at >= r.latest_at
    where r.is_disputed
    group by r.source, r.policy_id, r.read_at, r.snapshot_id
    union all
    select
        source, policy_id, read_at as placed_at, read_at as end_at, read_at, snapshot_id, false as is_disputed
    from readings
),
-- Of several that dispute the same changes the last counts.
last_placed as (
    select
        source, policy_id, placed_at, max(end_at) as end_at, max(read_at) as read_at,
        arg_max(snapshot_id, read_at) as snapshot_id, bool_and(is_disputed) as is_disputed
    from placed
    group by source, policy_id, placed_at
),
-- The changes between two readings of a policy, and the reading after them.
confirmed as (
    select
        l.source, l.policy_id, l.changed_at, l.is_making,
        s.placed_at, s.end_at, s.read_at, s.snapshot_id, s.is_disputed
    from log_moments as l
    asof left join last_placed as s
        on s.source = l.source and s.policy_id = l.policy_id and l.changed_at <= s.placed_at
),
grouped as (
    select
        source, policy_id, placed_at, end_at, read_at, snapshot_id, is_disputed,
        min(changed_at) as first_at, max(changed_at) as last_at, arg_max(is_making, changed_at) as is_making
    from confirmed
    group by source, policy_id, placed_at, end_at, read_at, snapshot_id, is_disputed
),
first_readings as (
    select source, policy_id, min(read_at) as read_at, arg_min(is_dated, read_at) as is_dated
    from readings
    group by source, policy_id
),
log_phases as (
    select
        g.source, g.policy_id, g.snapshot_id, g.last_at, g.is_making, g.is_disputed,
        g.placed_at as until_at, g.end_at, g.read_at as shown_at,
        -- Nothing was read before the first change: it shows the time before, too.
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
    select
        source, policy_id, until_at as from_at, next_at as until_at, false as is_first, true as is_dated
    from log_phases
    where not is_disputed
    union all
    select
        f.source, f.policy_id, f.read_at as from_at, min(l.first_at) as until_at, true as is_first, f.is_dated
    from first_readings as f
    left join log_phases as l on l.source = f.source and l.policy_id = f.policy_id
    group by f.source, f.policy_id, f.read_at, f.is_dated
    having min(l.first_at) is null or f.read_at < min(l.first_at)
),
logged as (
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        s.valid_from, s.valid_to, s.is_uncertain,
        s.granting, s.revoking,
        p.from_at, p.last_at, p.until_at, p.end_at, p.shown_at, p.snapshot_id,
        p.until_at is not null and coalesce(s.valid_to > p.until_at, true) as is_checked
    from spans as s
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
    semi join due as d on d.source = r.source and d.subject_kind = 'policy' and d.subject_id = r.policy_id
    where r.operation is not null
    -- A set may name a right twice.
    group by
        r.source, r.policy_id, r.resource_kind, r.operation, r.object_id, r.object_name,
        r.valid_from
),
-- The same by the readings that have their order alone.
ordered as (
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name, s.snapshot_id,
        f.read_at as valid_from, u.read_at as valid_to, t.read_at as dated_at
    from shown as s
    asof inner join readings as f
        on f.source = s.source and f.policy_id = s.subject_id and s.valid_from <= f.read_at
    asof left join readings as u
        on u.source = s.source and u.policy_id = s.subject_id and s.valid_to <= u.read_at
    asof left join (select source, policy_id, read_at from readings where is_dated) as t
        on t.source = s.source and t.policy_id = s.subject_id and s.valid_from <= t.read_at
    where coalesce(f.read_at < s.valid_to, true)
),
-- A right is certain from the first reading with a time of the service that shows it.
seen as (
    select
        source, subject_id, resource_kind, operation, object_id, object_name, snapshot_id,
        valid_from, least(valid_to, dated_at) as valid_to, true as is_uncertain
    from ordered
    where coalesce(valid_from < dated_at, true)
    union all
    select
        source, subject_id, resource_kind, operation, object_id, object_name, snapshot_id,
        dated_at as valid_from, valid_to, false as is_uncertain
    from ordered
    where coalesce(dated_at < valid_to, dated_at is not null)
),
compared as (
    select
        l.source, l.subject_id, l.resource_kind, l.operation, l.object_id, l.object_name,
        l.valid_from, l.valid_to, l.is_uncertain,
        l.granting, l.revoking,
        l.from_at, l.last_at, l.end_at, l.snapshot_id,
        l.is_checked and not exists (
            select 1
            from shown as s
            where s.source = l.source and s.subject_id = l.subject_id
              and s.resource_kind = l.resource_kind and s.operation = l.operation
              and s.object_id is not distinct from l.object_id
              and s.object_name is not distinct from l.object_name
              and s.valid_from <= l.shown_at and coalesce(s.valid_to > l.shown_at, true)
        ) as is_contradicted
    from logged as l
),
of_policies as (
    select
        source, subject_id, resource_kind, operation, object_id, object_name,
        greatest(valid_from, from_at) as valid_from,
        least(valid_to, case when is_contradicted then greatest(last_at, valid_from, from_at) else end_at end)
            as valid_to,
        case when is_uncertain or granting is null then 'inferred' else 'logged' end as evidence,
        is_uncertain,
        case when coalesce(valid_from >= from_at, from_at is null) then granting end as granting,
        case when coalesce(valid_to <= end_at, end_at is null) then revoking end as revoking,
        null as snapshot_id
    from compared
    union all
    select
        source, subject_id, resource_kind, operation, object_id, object_name,
        greatest(last_at, valid_from, from_at) as valid_from, end_at as valid_to,
        'contradicted' as evidence, is_uncertain,
        null as granting, null as revoking, snapshot_id
    from compared
    where is_contradicted
    union all
    -- What the reading after a change shows and the log does not. A creation does not state the set that it gave.
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        p.last_at as valid_from, p.end_at as valid_to,
        case when p.is_making then 'inferred' else 'contradicted' end as evidence, p.is_making as is_uncertain,
        null as granting, null as revoking, p.snapshot_id
    from log_phases as p
    inner join shown as s
        on s.source = p.source and s.subject_id = p.policy_id
        and s.valid_from <= p.shown_at and coalesce(s.valid_to > p.shown_at, true)
    left join logged as l
        on l.is_checked and l.source = s.source and l.subject_id = s.subject_id and l.until_at = p.until_at
        and l.resource_kind = s.resource_kind and l.operation = s.operation
        and l.object_id is not distinct from s.object_id and l.object_name is not distinct from s.object_name
    where l.source is null
    union all
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        greatest(s.valid_from, p.from_at) as valid_from, least(s.valid_to, p.until_at) as valid_to,
        'seen' as evidence, s.is_uncertain,
        null as granting, null as revoking, s.snapshot_id
    from seen as s
    inner join snapshot_phases as p on p.source = s.source and p.policy_id = s.subject_id
    where coalesce(s.valid_from < p.until_at, true)
      and coalesce(p.from_at < s.valid_to, true)
    union all
    -- The first reading shows the time before the log has anything of the policy.
    select
        s.source, s.subject_id, s.resource_kind, s.operation, s.object_id, s.object_name,
        null as valid_from, p.from_at as valid_to, 'inferred' as evidence, not p.is_dated as is_uncertain,
        null as granting, null as revoking, s.snapshot_id
    from shown as s
    inner join snapshot_phases as p
        on p.is_first and p.source = s.source and p.policy_id = s.subject_id
        and s.valid_from <= p.from_at and coalesce(s.valid_to > p.from_at, true)
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
    semi join due as u
        on u.source = d.source and u.subject_kind = 'user' and u.subject_id = cast(d.user_id as varchar)
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
    from marks
    where origin = 'flag'
),
all_pieces as (
    select
        source, 'policy' as subject_kind, subject_id, 'set' as origin, '' as scope_id, resource_kind, operation,
        object_id, object_name, valid_from, valid_to, evidence, is_uncertain, granting, revoking, snapshot_id
    from of_policies
    where coalesce(valid_from < valid_to, true)
    union all
    select
        source, subject_kind, subject_id, origin, scope_id, resource_kind, operation,
        object_id, object_name, valid_from, valid_to,
        case when is_uncertain or granting is null then 'inferred' else 'logged' end as evidence,
        is_uncertain, granting, revoking, null as snapshot_id
    from spans
    where subject_kind = 'user'
    union all
    -- A flag that the log never names is taken from the directory, whose first reading counts for the time before, too.
    select
        f.source, 'user' as subject_kind, cast(f.user_id as varchar) as subject_id, 'flag' as origin,
        f.operation as scope_id, 'Account' as resource_kind, f.operation, null as object_id, null as object_name,
        f.valid_from, f.valid_to, 'seen' as evidence, false as is_uncertain, null as granting, null as revoking,
        null as snapshot_id
    from listed_flags as f
    left join logged_flags as l
        on l.source = f.source and l.subject_id = cast(f.user_id as varchar) and l.operation = f.operation
    where l.subject_id is null
),
pieces as materialized (
    select
        row_number() over () as piece, source, subject_kind, subject_id, origin, scope_id, resource_kind, operation,
        object_id, object_name, valid_from, valid_to, evidence, is_uncertain, granting, revoking, snapshot_id
    from all_pieces
),
-- When something showed a set, a share, a flag or a membership, where the ledger has gaps.
told as (
    select source, subject_kind, subject_id, origin, scope_id, event_time as told_at, false as is_reading
    from marks
    union
    select
        source, 'policy' as subject_kind, policy_id as subject_id, 'set' as origin, '' as scope_id, read_at as told_at,
        true as is_reading
    from readings
    union
    select
        source, 'policy' as subject_kind, policy_id as subject_id, 'set' as origin, '' as scope_id,
        changed_at as told_at, false as is_reading
    from log_moments
    union
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, e.event_time as told_at, false as is_reading
    from marks as m
    inner join access_event_rows as e on e.source = m.source and e.resource_id = m.subject_id
    where m.subject_kind = 'user' and e.canonical_name = 'user_delete' and e.is_successful
    union
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, e.event_time as told_at, false as is_reading
    from marks as m
    inner join access_event_rows as e on e.source = m.source and 'Policies ' || e.resource_id = m.scope_id
    where m.origin = 'member' and e.canonical_name = 'permission_policy_delete' and e.is_successful
),
unseen as (
    select
        t.source, t.subject_kind, t.subject_id, t.origin, t.scope_id,
        case when bool_or(t.told_at < g.gap_start) then g.gap_start else '-infinity'::timestamp end as gap_start,
        min(t.told_at) filter (where t.told_at >= g.gap_end) as until_at
    from access_gap_rows as g
    inner join told as t on t.source = g.source
    group by t.source, t.subject_kind, t.subject_id, t.origin, t.scope_id, g.gap_start, g.gap_end
    having g.gap_start < g.gap_end or bool_or(t.is_reading) and max(t.told_at) >= g.gap_end
),
-- Of two gaps without any evidence between them the first lasts as long as the second.
silences as (
    select
        source, subject_kind, subject_id, origin, scope_id,
        min(gap_start) as from_at, until_at
    from unseen
    group by source, subject_kind, subject_id, origin, scope_id, until_at
),
cuts as (
    select
        p.piece, p.valid_from, p.valid_to, s.from_at, s.until_at,
        lag(s.until_at) over (partition by p.piece order by s.from_at) as last_until,
        lead(s.from_at) over (partition by p.piece order by s.from_at) is null as is_last
    from pieces as p
    inner join silences as s
        on s.source = p.source and s.subject_kind = p.subject_kind and s.subject_id = p.subject_id
        and s.origin = p.origin and s.scope_id = p.scope_id
        and coalesce(s.from_at < p.valid_to, true)
        and coalesce(p.valid_from < s.until_at, true)
    where p.evidence <> 'contradicted'
),
parts as (
    select
        piece, nullif(greatest(valid_from, from_at), '-infinity'::timestamp) as valid_from,
        least(valid_to, until_at) as valid_to, true as is_unknown
    from cuts
    union all
    select piece, greatest(valid_from, last_until) as valid_from, from_at as valid_to, false as is_unknown
    from cuts
    where from_at > '-infinity'::timestamp and coalesce(greatest(valid_from, last_until) < from_at, true)
    union all
    select piece, until_at as valid_from, valid_to, false as is_unknown
    from cuts
    where is_last and until_at is not null and coalesce(until_at < valid_to, true)
    union all
    select p.piece, p.valid_from, p.valid_to, false as is_unknown
    from pieces as p
    anti join cuts as c on c.piece = p.piece
),
-- What the first changes after a gap found, and nothing had shown before.
closing as (
    select
        m.source, m.subject_kind, m.subject_id, m.origin, m.scope_id, m.event_time, m.event_key,
        m.resource_kind, m.operation, m.object_id, m.object_name, m.is_held_before, m.is_held_after
    from marks as m
    semi join silences as s
        on s.source = m.source and s.subject_kind = m.subject_kind and s.subject_id = m.subject_id
        and s.origin = m.origin and s.scope_id = m.scope_id and s.until_at = m.event_time
),
sizes as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time,
        count(distinct event_key) as changes, bool_and(is_held_before is not null) as is_read
    from closing
    group by source, subject_kind, subject_id, origin, scope_id, event_time
),
counted as (
    select
        source, subject_kind, subject_id, origin, scope_id, event_time, resource_kind, operation, object_id, object_name,
        count(*) filter (where is_held_before) as times_found, count(*) filter (where is_held_after) as times_left
    from closing
    where operation is not null
    group by
        source, subject_kind, subject_id, origin, scope_id, event_time, resource_kind, operation, object_id, object_name
),
found as (
    select
        a.source, a.subject_kind, a.subject_id, a.origin, a.scope_id, a.resource_kind, a.operation, a.object_id,
        a.object_name, a.event_time, max(s.from_at) as from_at, max(t.told_at) as told_at
    from silences as s
    inner join counted as a
        on a.source = s.source and a.subject_kind = s.subject_kind and a.subject_id = s.subject_id
        and a.origin = s.origin and a.scope_id = s.scope_id and a.event_time = s.until_at
    inner join sizes as z
        on z.source = a.source and z.subject_kind = a.subject_kind and z.subject_id = a.subject_id
        and z.origin = a.origin and z.scope_id = a.scope_id and z.event_time = a.event_time
    inner join told as t
        on t.source = a.source and t.subject_kind = a.subject_kind and t.subject_id = a.subject_id
        and t.origin = a.origin and t.scope_id = a.scope_id and t.told_at < a.event_time
    where a.times_found > 0
      and not exists (
          select 1
          from pieces as p
          where p.source = a.source and p.subject_kind = a.subject_kind and p.subject_id = a.subject_id
            and p.origin = a.origin and p.resource_kind = a.resource_kind and p.operation = a.operation
            and p.object_id is not distinct from a.object_id and p.object_name is not distinct from a.object_name
            and coalesce(p.valid_from < a.event_time, true) and coalesce(p.valid_to >= a.event_time, true)
      )
      -- Of several changes in one second that found it as often as they left it, the first found it where the last left
      -- it.
      and (
          a.times_found = z.changes
          or z.is_read and a.times_found > a.times_left
          or z.is_read and a.times_found = a.times_left and exists (
              -- As the log alone has it: left by that second, not only shown or found later.
              select 1
              from spans as p
              where p.source = a.source and p.subject_kind = a.subject_kind and p.subject_id = a.subject_id
                and p.origin = a.origin and p.resource_kind = a.resource_kind and p.operation = a.operation
                and p.object_id is not distinct from a.object_id and p.object_name is not distinct from a.object_name
                and coalesce(p.valid_to > a.event_time, true) and not p.is_uncertain
                and coalesce(
                    p.valid_from < a.event_time or p.valid_from = a.event_time and p.granting is not null, true
                )
          )
      )
    group by
        a.source, a.subject_kind, a.subject_id, a.origin, a.scope_id, a.resource_kind, a.operation, a.object_id,
        a.object_name, a.event_time
)
select
    p.source, p.subject_kind, p.subject_id, p.origin, p.resource_kind, p.operation, p.object_id, p.object_name,
    t.valid_from, t.valid_to, p.valid_from as held_since,
    case when t.is_unknown then 'unknown' else p.evidence end as evidence,
    p.is_uncertain,
    p.granting.user_id as granted_by_user_id, p.granting.email as granted_by_user_email,
    p.granting.key as granted_event_key,
    case when t.valid_to = p.valid_to then p.revoking.user_id end as revoked_by_user_id,
    case when t.valid_to = p.valid_to then p.revoking.email end as revoked_by_user_email,
    case when t.valid_to = p.valid_to then p.revoking.key end as revoked_event_key,
    p.snapshot_id
from parts as t
inner join pieces as p on p.piece = t.piece
union all
select
    source, subject_kind, subject_id, origin, resource_kind, operation, object_id, object_name,
    greatest(from_at, told_at) as valid_from, event_time as valid_to, greatest(from_at, told_at) as held_since,
    'unknown' as evidence, false as is_uncertain,
    null as granted_by_user_id, null as granted_by_user_email, null as granted_event_key,
    null as revoked_by_user_id, null as revoked_by_user_email, null as revoked_event_key, null as snapshot_id
from found;
