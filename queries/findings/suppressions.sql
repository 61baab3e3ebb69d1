-- name: all
-- Suppressions with their state at a moment: active ones first, sorted by their end.
with
lifted as (
    select finding_id, decided_by, decided_at, reason
    from finding_decisions
    where decision = 'unsuppress'
),
hidden as (
    select suppressed_by, count(*) as findings
    from findings
    where suppressed_by is not null
    group by suppressed_by
),
stated as (
    select
        d.finding_id, d.detection, d.conditions, d.suppressed_until, d.decided_by, d.decided_at, d.reason,
        l.decided_by as lifted_by, l.decided_at as lifted_at, l.reason as lifted_reason,
        coalesce(h.findings, 0) as findings,
        case
            when l.decided_at is not null then 'lifted'
            when d.suppressed_until <= cast($now as timestamp) then 'expired'
            when d.suppressed_until <= cast($now as timestamp) + interval '7' day then 'ending'
            else 'active'
        end as state
    from finding_decisions as d
    left join lifted as l on l.finding_id = d.finding_id
    left join hidden as h on h.suppressed_by = d.finding_id
    where d.decision = 'suppress'
)
select
    finding_id as suppression_id, state, detection, conditions,
    strftime(suppressed_until, '%Y-%m-%d %H:%M:%S') as suppressed_until,
    findings, decided_by,
    strftime(decided_at, '%Y-%m-%d %H:%M:%S') as decided_at,
    reason, lifted_by,
    strftime(lifted_at, '%Y-%m-%d %H:%M:%S') as lifted_at,
    lifted_reason
from stated
order by state not in ('active', 'ending'), suppressed_until, suppression_id;
