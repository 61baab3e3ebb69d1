-- The stretches of time in which the snapshots decide what a policy holds: from a reading to the next change in the log.
create or replace temp table snapshot_phases as
select series_key, until_at as from_at, next_at as until_at, false as is_first, true as is_dated
from log_phases
where not is_disputed
union all
select f.series_key, f.read_at as from_at, min(p.first_at) as until_at, true as is_first, f.is_dated
from due_readings as f
left join log_phases as p on p.series_key = f.series_key
where f.is_first
group by f.series_key, f.read_at, f.is_dated
having min(p.first_at) is null or f.read_at < min(p.first_at);
