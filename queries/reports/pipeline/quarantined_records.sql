-- title: Quarantined records
-- question: Which records could not be read?
-- family: pipeline
-- grain: one row per reason and run
-- param: since timestamp = 7d
-- param: until timestamp = now
-- chart: bars x=reason y=records stack=run_id unit=count
with
found as (
    select source, run_id, reason, page, sha256, first_seen_at
    from quarantine
    where first_seen_at >= cast($since as timestamp)
      and first_seen_at < cast($until as timestamp)
)
select
    reason,
    run_id,
    count(*) as records,
    count(distinct sha256) as pages,
    min(first_seen_at) as first_at,
    max(first_seen_at) as last_at,
    source
from found
group by source, reason, run_id
order by records desc, reason, run_id, source
