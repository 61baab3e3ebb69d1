-- name: forms
-- The detections that are in force, as headers and configuration have them.
create or replace temp table detection_forms (
    detection varchar, severity varchar, title varchar, subject_kind varchar, attack varchar, runbook varchar,
    group_ms bigint
);

-- name: retire
-- A detection that is not in force any more is evaluated over the whole log when it comes back.
delete from detection_states
where detection not in (select f.detection from detection_forms as f);

-- name: grouped
-- A hit joins the finding of its key that the previous hit belongs to, unless that is too long ago, or that finding was
-- closed before this hit.
create or replace temp table grouped_hits as
with
numbered as (
    select
        h.detection, h.source, h.key, h.hit_time, h.window_start, h.event_keys, h.subject, h.measures, h.message, h.next, f.group_ms,
        row_number() over per_key as hit_number,
        lag(h.hit_time) over per_key as previous_at
    from detection_hits as h
    inner join detection_forms as f on f.detection = h.detection
    window per_key as (
        partition by h.detection, h.source, h.key
        order by h.hit_time, h.event_keys, h.message, h.subject, h.measures, h.next
    )
),
started as (
    select
        n.detection, n.source, n.key, n.hit_time, n.window_start, n.event_keys, n.subject, n.measures, n.message, n.next, n.hit_number,
        coalesce(n.hit_time > n.previous_at, true) and (
            n.previous_at is null
            or n.hit_time >= n.previous_at + to_milliseconds(n.group_ms)
            or exists (
                select 1
                from decision_rows as d
                where d.decision = 'close'
                  and d.detection = n.detection
                  and d.source = n.source
                  and d.key = n.key
                  and d.last_at >= n.previous_at
                  and d.last_at < n.hit_time
            )
        ) as is_first
    from numbered as n
)
select
    detection, source, key, hit_time, window_start, event_keys, subject, measures, message, next, hit_number,
    count(*) filter (where is_first) over (
        partition by detection, source, key
        order by hit_number
        rows between unbounded preceding and current row
    ) as finding_number
from started;

-- name: found
-- The findings that the hits make; sentence, measures and command are those of the hit that exceeds its limits the most,
-- the last of several.
create or replace temp table found_findings as
with
weighed as (
    select
        detection, source, key, finding_number, hit_time, subject, measures, message, next,
        (
            coalesce(list_max(list_transform(
                from_json(measures, '[{"value": "double", "limit": "double"}]'), lambda m : m.value / m."limit"
            )), 0),
            hit_number
        ) as weight
    from grouped_hits
),
findings as (
    select
        detection, source, key, finding_number,
        min(hit_time) as first_at,
        max(hit_time) as last_at,
        count(*) as hits,
        arg_max(subject, weight) as subject,
        arg_max(measures, weight) as measures,
        arg_max(message, weight) as message,
        arg_max(next, weight) as next
    from weighed
    group by detection, source, key, finding_number
)
select
    substr(sha256(concat_ws(chr(31), detection, source, key, epoch_us(first_at))), 1, 16) as finding_id,
    detection, source, key, finding_number, first_at, last_at, hits, subject, measures, message, next
from findings;

-- name: suppressed
-- The suppression that covers all hits of a finding and ends last.
create or replace temp table suppressed_findings as
with
conditions as (
    select
        d.decision_id, d.detection, d.suppressed_until, c.key as column_name,
        json_extract_string(d.conditions, '$."' || c.key || '"') as wanted
    from decision_rows as d
    cross join json_each(d.conditions) as c
    where d.decision = 'suppress'
      and d.decision_id not in (select l.finding_id from decision_rows as l where l.decision = 'unsuppress')
),
covered as (
    select
        f.finding_id, c.decision_id, c.suppressed_until,
        bool_and(coalesce(json_extract_string(f.key, '$."' || c.column_name || '"') = c.wanted, false)) as is_covered
    from found_findings as f
    inner join conditions as c on c.detection = f.detection and f.last_at < c.suppressed_until
    group by f.finding_id, c.decision_id, c.suppressed_until
)
select finding_id, arg_max(decision_id, (suppressed_until, decision_id)) as suppressed_by
from covered
where is_covered
group by finding_id;

-- name: decided
-- The newest decision on the state of each finding.
create or replace temp table decided_findings as
select
    f.finding_id,
    arg_max(d.decision, (d.decided_at, d.decision_id)) as decision,
    arg_max(coalesce(d.closed_as, ''), (d.decided_at, d.decision_id)) as closed_as
from found_findings as f
inner join decision_rows as d
    on d.detection = f.detection
    and d.source = f.source
    and d.key = f.key
    and d.first_at between f.first_at and f.last_at
where d.decision in ('acknowledge', 'reopen', 'close')
group by f.finding_id;

-- name: moved
-- What was raised and sent before, under this id or one of a finding that is part of it now.
create or replace temp table raised_findings as
select
    f.finding_id,
    min(r.raised_at) filter (where r.suppressed_by is null) as raised_at,
    arg_min(r.run_id, r.raised_at) filter (where r.suppressed_by is null) as run_id,
    min(r.raised_at) as stored_at,
    arg_min(r.run_id, r.raised_at) as stored_run_id,
    min(coalesce(n.decided_at, r.notified_at)) as notified_at
from found_findings as f
left join finding_rows as r
    on r.detection = f.detection
    and r.source = f.source
    and r.key = f.key
    and r.first_at between f.first_at and f.last_at
left join decision_rows as n
    on n.decision = 'notified'
    and n.detection = f.detection
    and n.source = f.source
    and n.key = f.key
    and n.first_at between f.first_at and f.last_at
group by f.finding_id;

-- name: current
create or replace temp table current_findings as
select
    f.finding_id, f.detection, d.severity, d.title, f.message, f.source, d.subject_kind, f.subject, f.key, f.first_at,
    f.last_at, f.hits, f.measures,
    case c.decision when 'acknowledge' then 'acknowledged' when 'close' then 'closed' else 'open' end as state,
    cast(null as varchar) as state_reason,
    case when c.decision = 'close' then nullif(c.closed_as, '') end as closed_as,
    s.suppressed_by,
    -- A suppressed finding is raised by its first hit after the end.
    coalesce(
        r.raised_at, case when s.suppressed_by is not null then r.stored_at end, $now::timestamp
    ) as raised_at,
    coalesce(r.run_id, case when s.suppressed_by is not null then r.stored_run_id end, $run_id) as run_id,
    r.notified_at,
    d.attack, f.next, d.runbook
from found_findings as f
inner join detection_forms as d on d.detection = f.detection
left join decided_findings as c on c.finding_id = f.finding_id
left join suppressed_findings as s on s.finding_id = f.finding_id
left join raised_findings as r on r.finding_id = f.finding_id;

-- name: withdrawn
-- Findings whose hits no longer exist, or belong to an earlier finding, stay with the reason.
create or replace temp table withdrawn_findings as
select
    r.finding_id, r.detection, r.severity, r.title, r.message, r.source, r.subject_kind, r.subject, r.key, r.first_at,
    r.last_at, r.hits, r.measures, 'withdrawn' as state,
    case
        when max(f.finding_id) is not null then 'part of ' || max(f.finding_id)
        when max(d.detection) is null then coalesce(
            case when r.state = 'withdrawn' then r.state_reason end, 'the detection is disabled or was removed'
        )
        else coalesce(case when r.state = 'withdrawn' then r.state_reason end, 'later data takes its reason away')
    end as state_reason,
    r.closed_as, r.suppressed_by, r.raised_at, r.run_id, r.notified_at, r.attack, r.next, r.runbook
from finding_rows as r
left join detection_forms as d on d.detection = r.detection
left join found_findings as f
    on f.detection = r.detection
    and f.source = r.source
    and f.key = r.key
    and r.first_at between f.first_at and f.last_at
where r.finding_id not in (select c.finding_id from current_findings as c)
group by
    r.finding_id, r.detection, r.severity, r.title, r.message, r.source, r.subject_kind, r.subject, r.key, r.first_at,
    r.last_at, r.hits, r.measures, r.state, r.state_reason, r.closed_as, r.suppressed_by, r.raised_at, r.run_id,
    r.notified_at, r.attack, r.next, r.runbook;

-- name: counted
-- How many findings each detection raised in this run.
update detection_runs
set new_findings = (
    select count(*)
    from current_findings as c
    where c.detection = detection_runs.detection
      and c.run_id = detection_runs.run_id
      and c.finding_id not in (select r.finding_id from finding_rows as r)
)
where run_id = $run_id;

-- name: replace
delete from finding_rows;

insert into finding_rows by name
select * from current_findings
union all by name
select * from withdrawn_findings;

-- name: evidence
-- The events of findings; what an earlier run looked up is kept. The windows of a finding may begin before an earlier
-- finding of its key was closed: events of that one from then on count for both.
create or replace temp table evidence as
with
numbered as (
    select
        f.finding_id, f.detection, f.source, f.key, f.first_at, g.window_start, g.event_keys
    from grouped_hits as g
    inner join found_findings as f
        on f.detection = g.detection
        and f.source = g.source
        and f.key = g.key
        and f.finding_number = g.finding_number
),
started as (
    select finding_id, detection, source, key, first_at, min(window_start) as window_start
    from numbered
    group by finding_id, detection, source, key, first_at
)
select distinct finding_id, unnest(event_keys) as event_key, cast(null as timestamp) as counts_from
from numbered
union all
select distinct s.finding_id, unnest(g.event_keys) as event_key, s.window_start as counts_from
from started as s
inner join grouped_hits as g
    on g.detection = s.detection
    and g.source = s.source
    and g.key = s.key
    and g.hit_time < s.first_at
    and g.hit_time >= s.window_start;

create or replace temp table known_evidence as
select distinct event_key, event_time
from finding_events;

create or replace temp table looked_up as
select lower(hex(cast(e.event_key as blob))) as event_key, e.event_time
from event_rows as e
where e.event_key in (
    select try_cast(v.event_key as uuid)
    from evidence as v
    where v.event_key not in (select k.event_key from known_evidence as k)
);

delete from finding_events
where finding_id in (select v.finding_id from evidence as v);

insert into finding_events (finding_id, event_key, event_time)
select distinct v.finding_id, v.event_key, t.event_time
from evidence as v
inner join (
    select event_key, event_time from known_evidence
    union
    select event_key, event_time from looked_up
) as t on t.event_key = v.event_key
where coalesce(t.event_time >= v.counts_from, true)
order by v.finding_id, t.event_time, v.event_key;

-- name: forget
-- Takes out what every detection has been evaluated over, but for the newest.
delete from known_changes
where change_id <= (select min(evaluated_change) from detection_states)
  and change_id < (select max(change_id) from known_changes);

-- name: raised
select
    severity,
    count(*) as findings
from finding_rows
where run_id = $run_id
  and state = 'open'
  and suppressed_by is null
group by severity
order by case severity when 'critical' then 0 when 'high' then 1 when 'medium' then 2 when 'low' then 3 else 4 end;
