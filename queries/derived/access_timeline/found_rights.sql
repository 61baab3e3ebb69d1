-- What the first changes after a gap found, and nothing had shown before: it was held at an unknown time in the gap.
create or replace temp table found_rights as
with
closing as (
    select m.series_key, m.event_time, m.event_key, m.permission, m.is_held_before, m.is_held_after
    from due_marks as m
    semi join silences as s on s.series_key = m.series_key and s.until_at = m.event_time
),
sizes as (
    select
        series_key, event_time,
        count(distinct event_key) as changes, bool_and(is_held_before is not null) as is_read
    from closing
    group by series_key, event_time
),
counted as (
    select
        series_key, event_time, permission,
        count(*) filter (where is_held_before) as times_found, count(*) filter (where is_held_after) as times_left
    from closing
    where permission is not null
    group by series_key, event_time, permission
    having count(*) filter (where is_held_before) > 0
),
found as (
    select
        c.series_key, s.holder_key, c.event_time, c.permission, c.times_found, c.times_left, z.changes, z.is_read
    from counted as c
    inner join due_series as s on s.series_key = c.series_key
    inner join sizes as z on z.series_key = c.series_key and z.event_time = c.event_time
),
shown as (
    select s.holder_key, p.permission, p.valid_from, p.valid_to
    from pieces as p
    inner join due_series as s on s.series_key = p.series_key
)
select f.series_key, f.permission, f.event_time, greatest(max(s.from_at), max(e.shown_at)) as held_since
from found as f
inner join silences as s on s.series_key = f.series_key and s.until_at = f.event_time
inner join evidence_times as e on e.series_key = f.series_key and e.shown_at < f.event_time
where not exists (
    select 1
    from shown as p
    where p.holder_key = f.holder_key and p.permission = f.permission
      and coalesce(p.valid_from < f.event_time, true) and coalesce(p.valid_to >= f.event_time, true)
)
  -- Of several changes in one second that found it as often as they left it, the first found it where the last left it.
  and (
      f.times_found = f.changes
      or f.is_read and f.times_found > f.times_left
      or f.is_read and f.times_found = f.times_left and exists (
          -- As the log alone has it: left by that second, not only shown or found later.
          select 1
          from due_spans as p
          where p.holder_key = f.holder_key and p.permission = f.permission
            and coalesce(p.valid_to > f.event_time, true) and not p.is_uncertain
            and coalesce(
                p.valid_from < f.event_time or p.valid_from = f.event_time and p.granting is not null, true
            )
      )
  )
group by f.series_key, f.permission, f.event_time;
