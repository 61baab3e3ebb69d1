-- The readings of the policies that are due, each with the interval in which the service answered. A reading without a
-- time of the service is stamped by the clock of this machine, which may be wrong by 30 hours
-- (pipeline/core/source/clock.ts).
create or replace temp table read_intervals as
select
    t.series_key, s.read_at, s.state, s.earliest_at is not null as is_dated,
    coalesce(s.earliest_at, s.read_at - interval 30 hour) as earliest_at,
    coalesce(s.latest_at, s.read_at + interval 30 hour) as latest_at
from policy_snapshots as s
inner join due_series as t on t.subject_kind = 'policy' and t.source = s.source and t.subject_id = s.policy_id;
