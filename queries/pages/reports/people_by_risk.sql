-- title: People by risk
-- question: Whose findings should be looked at first?
-- grain: one row per person with an open finding of the last 30 days
-- param: on timestamp = now
with
counted as (
    select
        subject as actor, source, severity,
        case severity when 'critical' then 4 when 'high' then 3 when 'medium' then 2 when 'low' then 1 else 0 end as rank,
        count(*) as findings
    from findings
    where state = 'open'
      and suppressed_by is null
      and subject_kind = 'user'
      and last_at > cast($on as timestamp) - interval '30' day
    group by subject, source, severity
),
reasons as (
    select
        actor, source,
        string_agg(cast(findings as varchar) || ' ' || severity, ', ' order by rank desc) as because,
        max(rank) as worst,
        max_by(findings, rank) as of_worst
    from counted
    group by actor, source
)
select
    r.actor, r.risk,
    concat_ws(
        ' · ', s.because,
        case when u.account_owner then 'account owner' when u.administrator then 'administrator' end
    ) as because
from risk_by_actor as r
left join reasons as s on s.actor = r.actor and s.source = r.source
left join users as u on u.source = r.source and u.user_id = r.user_id
-- At the same risk, who has the more severe findings, then more of these.
order by r.risk desc, s.worst desc, s.of_worst desc, r.actor, because
