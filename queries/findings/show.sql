-- name: find
-- The findings whose id begins with some digits. Decisions name a finding by the moments of its hits.
select
    f.finding_id, f.detection, f.severity, f.title, f.message, f.source, f.subject_kind, f.subject, f.key,
    strftime(f.first_at, '%Y-%m-%d %H:%M:%S') as first_at,
    strftime(f.last_at, '%Y-%m-%d %H:%M:%S') as last_at,
    strftime(r.first_at, '%Y-%m-%d %H:%M:%S.%f') as first_moment,
    strftime(r.last_at, '%Y-%m-%d %H:%M:%S.%f') as last_moment,
    f.hits, f.measures, f.state, f.state_reason, f.closed_as, f.suppressed_by,
    strftime(f.raised_at, '%Y-%m-%d %H:%M:%S') as raised_at,
    strftime(f.notified_at, '%Y-%m-%d %H:%M:%S') as notified_at,
    f.attack, f.next, f.runbook
from findings as f
inner join finding_rows as r on r.finding_id = f.finding_id
where starts_with(f.finding_id, $id)
order by f.finding_id;

-- name: evidence
-- The events of a finding, the newest first. The times filter the scan of the events, which a join on both columns does
-- not.
select
    strftime(e.event_time, '%Y-%m-%d %H:%M:%S') as event_time,
    e.event_name, e.actor, e.ip_address, e.outcome,
    coalesce(e.resource_name, e.resource_id, e.target_resource_name, e.target_resource_id) as resource,
    e.event_key
from events as e
where e.event_time in (select f.event_time from finding_events as f where f.finding_id = $id)
  and e.event_key in (select f.event_key from finding_events as f where f.finding_id = $id)
order by e.event_time desc, e.event_key;

-- name: history
select
    strftime(decided_at, '%Y-%m-%d %H:%M:%S') as decided_at, decided_by, decision, closed_as, reason
from finding_decisions
where finding_id = $id
order by decided_at, decision, decided_by, reason;

-- name: ending
-- Suppressions that end within the seven days after a moment.
select detection, strftime(suppressed_until, '%Y-%m-%d %H:%M:%S') as suppressed_until
from finding_decisions as d
where decision = 'suppress'
  and suppressed_until > cast($now as timestamp)
  and suppressed_until <= cast($now as timestamp) + interval '7' day
  and d.finding_id not in (select l.finding_id from finding_decisions as l where l.decision = 'unsuppress')
order by suppressed_until, detection;

-- name: covered
select count(*) as findings
from findings
where suppressed_by = $id;
