-- name: evidence
-- The events of a finding: the largest first, then the newest. The times filter the scan of the events, which a join on
-- both columns does not.
select
    e.event_time, e.event_name, e.outcome, e.actor,
    coalesce(e.resource_name, e.resource_id, e.target_resource_name, e.target_resource_id) as resource,
    e.ip_address, e.denial_kind, e.database_name, e.bytesize, e.event_key
from events as e
where e.event_time in (select f.event_time from finding_events as f where f.finding_id = $id)
  and e.event_key in (select f.event_key from finding_events as f where f.finding_id = $id)
order by e.bytesize desc nulls last, e.event_time desc, e.event_key
limit $most;

-- name: addresses
-- The addresses of the evidence, each with how much it did and for how many people in the 30 days up to the finding.
with
own as (
    select e.source, e.ip_address, max(e.event_time) as last_at, count(*) as evidence
    from events as e
    where e.event_time in (select f.event_time from finding_events as f where f.finding_id = $id)
      and e.event_key in (select f.event_key from finding_events as f where f.finding_id = $id)
      and e.ip_address <> 'internal'
    group by e.source, e.ip_address
),
top as (
    select source, ip_address, last_at, evidence
    from own
    order by evidence desc, ip_address, source
    limit 3
)
select
    t.ip_address, t.evidence,
    count(*) as events,
    count(distinct coalesce(cast(e.user_id as varchar), e.actor_email)) as people
from top as t
inner join events as e on e.source = t.source and e.ip_address = t.ip_address
where e.event_time > (select max(last_at) from top) - interval '30' day
  and e.event_time <= (select max(last_at) from top)
group by t.ip_address, t.evidence
order by t.evidence desc, t.ip_address;

-- name: related
-- Other findings about the same subject, the nearest in time first.
select
    r.finding_id, r.severity, r.message,
    case when r.state = 'open' and r.suppressed_by is not null then 'suppressed' when r.state = 'open' then 'new' else r.state end
        as state,
    strftime(r.last_at, '%Y-%m-%dT%H:%M:%SZ') as last_at
from findings as f
inner join findings as r
    on r.source = f.source
    and r.subject_kind = f.subject_kind
    and r.subject = f.subject
    and r.finding_id <> f.finding_id
where f.finding_id = $id
  and r.state <> 'withdrawn'
order by abs(epoch_ms(r.last_at) - epoch_ms(f.last_at)), r.finding_id
limit 6;

-- name: facts
-- How often the detection fired in the 30 days up to a finding, the open risk of its subject, and whether it is a person
-- with special rights.
select
    (
        select count(*)
        from findings as o
        where o.detection = f.detection
          and o.source = f.source
          and o.state <> 'withdrawn'
          and o.last_at > f.last_at - interval '30' day
          and o.last_at <= f.last_at
    ) as fired,
    r.risk, r.reasons
from findings as f
left join risk_by_actor as r
    on r.source = f.source
    and r.actor = f.subject
    and f.subject_kind = 'user'
where f.finding_id = $id;

-- name: would_hide
-- The findings of a detection since a moment whose key has the values of a suppression.
with
wanted as (
    select key as column_name, json_extract_string($conditions, '$."' || key || '"') as value
    from json_each($conditions)
)
select
    finding_id, severity, message,
    strftime(last_at, '%Y-%m-%dT%H:%M:%SZ') as last_at
from findings as f
where detection = $detection
  and state in ('open', 'acknowledged')
  and suppressed_by is null
  and last_at >= cast($since as timestamp)
  and last_at < cast($until as timestamp)
  and not exists (
      select 1
      from wanted as w
      where coalesce(json_extract_string(f.key, '$."' || w.column_name || '"') <> w.value, true)
  )
order by last_at desc, finding_id;
