-- Findings of detections, with the time of their hits and of their evidence; of a user the e-mail that was known last.
create or replace view findings as
with
spans as (
    select finding_id, min(event_time) as first_at, max(event_time) as last_at
    from finding_events
    group by finding_id
)
select
    f.finding_id, f.detection, f.severity, f.title, f.message, f.source, f.subject_kind,
    case
        when f.subject_kind = 'user' then coalesce(lower(u.email), f.subject)
        else f.subject
    end as subject,
    f.key,
    least(f.first_at, s.first_at) as first_at,
    greatest(f.last_at, s.last_at) as last_at,
    f.hits, f.measures, f.state, f.state_reason, f.closed_as, f.suppressed_by, f.raised_at,
    f.run_id, f.notified_at, f.attack, f.next, f.runbook
from finding_rows as f
left join spans as s on s.finding_id = f.finding_id
left join last_known_users as u
    on u.source = f.source
    and u.user_id = try_cast(json_extract_string(f.key, '$.user_id') as bigint);

-- Decisions of people, under the id that the finding has now.
create or replace view finding_decisions as
select
    coalesce(f.finding_id, d.finding_id, d.decision_id) as finding_id,
    d.decided_at, d.decided_by, d.decision, d.closed_as, d.reason,
    d.detection, d.conditions, d.suppressed_until
from decision_rows as d
left join finding_rows as f
    on f.detection = d.detection
    and f.source = d.source
    and f.key = d.key
    and d.first_at between f.first_at and f.last_at
    and f.state <> 'withdrawn'
where d.decision <> 'notified';

-- Open findings with a person as their subject, of the 30 days before the newest event of their source. An event that is
-- dated after the newest run, as by a clock that is ahead, does not move these days.
create or replace view risk_by_actor as
with
runs as (
    select source, max(coalesce(finished_at, started_at)) as run_at
    from ingest_runs
    group by source
),
newest as (
    select s.source, least(max(s.last_seen_at), coalesce(max(r.run_at), max(s.last_seen_at))) as newest_at
    from sightings as s
    left join runs as r on r.source = s.source
    group by s.source
),
counted as (
    select
        f.source,
        try_cast(json_extract_string(f.key, '$.user_id') as bigint) as user_id,
        f.subject as actor,
        case f.severity when 'critical' then 70 when 'high' then 40 when 'medium' then 15 when 'low' then 5 else 0 end
            as points,
        f.title
    from findings as f
    inner join newest as n on n.source = f.source
    where f.state = 'open'
      and f.suppressed_by is null
      and f.subject_kind = 'user'
      and f.last_at > n.newest_at - interval '30' day
),
summed as (
    select
        c.source, c.user_id, c.actor, sum(c.points) as points,
        coalesce(bool_or(u.administrator or u.account_owner), false) as is_privileged,
        string_agg(distinct c.title, ', ' order by c.title) as reasons
    from counted as c
    left join users as u on u.source = c.source and u.user_id = c.user_id
    group by c.source, c.user_id, c.actor
)
select
    source, user_id, actor,
    cast(least(100, round(points * case when is_privileged then 1.2 else 1.0 end)) as integer) as risk,
    reasons
from summed
where points > 0
order by risk desc, actor, source;
