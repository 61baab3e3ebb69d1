-- Open findings of at least a severity that a target has not received, under this id or the id of a part. Deliveries
-- identify a finding by the moments of its hits.
with
ranked as (
    select
        f.finding_id, f.detection, f.severity, f.title, f.message, f.source, f.subject, f.key,
        strftime(r.first_at, '%Y-%m-%d %H:%M:%S.%f') as first_moment,
        strftime(r.last_at, '%Y-%m-%d %H:%M:%S.%f') as last_moment,
        strftime(f.first_at, '%Y-%m-%dT%H:%M:%SZ') as first_at,
        strftime(f.last_at, '%Y-%m-%dT%H:%M:%SZ') as last_at,
        f.hits, f.attack, f.next,
        case f.severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end as rank
    from findings as f
    inner join finding_rows as r on r.finding_id = f.finding_id
    where f.state = 'open'
      and f.suppressed_by is null
      and not exists (
          select 1
          from decision_rows as d
          where d.decision = 'notified'
            and d.decided_by = $target
            and d.detection = f.detection
            and d.source = f.source
            and d.key = f.key
            and d.first_at between r.first_at and r.last_at
      )
)
select
    finding_id, detection, severity, title, message, source, subject, key, first_moment, last_moment, first_at, last_at,
    hits, attack, next, rank
from ranked
where rank >= $least
order by rank desc, first_moment, finding_id
