-- What the snapshots show, by the readings that have their order alone. A right is certain from the first reading with a
-- time of the service that shows it.
create or replace temp table seen_rights as
with
readings as (
    select series_key, read_at, is_dated
    from due_readings
    where not is_disputed
),
ordered as (
    select
        s.series_key, s.permission, s.snapshot_id,
        f.read_at as valid_from, u.read_at as valid_to, t.read_at as dated_at
    from shown_rights as s
    asof inner join readings as f on f.series_key = s.series_key and s.valid_from <= f.read_at
    asof left join readings as u on u.series_key = s.series_key and coalesce(s.valid_to, 'infinity') <= u.read_at
    asof left join (select series_key, read_at from readings where is_dated) as t
        on t.series_key = s.series_key and s.valid_from <= t.read_at
    where coalesce(f.read_at < s.valid_to, true)
)
select
    series_key, permission, snapshot_id, valid_from, least(valid_to, dated_at) as valid_to, true as is_uncertain
from ordered
where coalesce(valid_from < dated_at, true)
union all
select series_key, permission, snapshot_id, dated_at as valid_from, valid_to, false as is_uncertain
from ordered
where coalesce(dated_at < valid_to, dated_at is not null);
