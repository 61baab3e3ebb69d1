-- name: own
-- What a read held, before the rows that were known are taken out, and how many of its rows repeat a key. The digest is
-- the number of records inside the window and the mix of their keys. It depends neither on order nor on what a service
-- sends beside the window.
with
own as (
    select
        event_key, event_time,
        $window_start::timestamp is null
            or (event_time >= $window_start::timestamp and event_time < $window_end::timestamp) as is_inside
    from event_rows
    where read_id = $read_id
)
select
    count(*) as records,
    count(*) - count(distinct event_key) as repeated,
    count(*) filter (where not is_inside) as outside,
    min(event_time) filter (where is_inside) as first_inside,
    min(event_time) as first_event_time,
    max(event_time) as last_event_time,
    count(*) filter (where is_inside) || ':'
        || coalesce(bit_xor(md5_number(cast(event_key as varchar))) filter (where is_inside), 0) as digest
from own;

-- name: others
-- Whether other reads of the source brought events of the days of a read, or of its window. A first read of a time has
-- nothing to be compared with.
select exists (
    select 1
    from event_rows
    where source = $source
      and read_id <> $read_id
      and event_date between
          cast(least($first_event_time::timestamp, $window_start::timestamp) as date)
          and cast(greatest($last_event_time::timestamp, $window_end::timestamp) as date)
) as has_others;

-- name: absent
-- Stored events of a window that a read of it does not show. It misses only what a read of its window had shown: an event
-- that a read of another window brought counts from the first read of its own window on that shows it.
with
own as (
    select event_key, id
    from event_rows
    where read_id = $read_id
),
ids as (
    select distinct id
    from own
    where id is not null
),
absent as (
    select
        r.event_key, r.event_time, r.id, r.first_seen_at, r.read_id,
        r.event_time >= w.window_start and r.event_time < w.window_end as is_of_its_window
    from event_rows as r
    -- What a file brought shows nothing of what the service has forgotten.
    inner join window_reads as w on w.read_id = r.read_id and w.window_start is not null
    where r.source = $source
      and r.read_id <> $read_id
      and r.event_time >= $window_start::timestamp
      and r.event_time < $window_end::timestamp
      and not exists (select 1 from own as o where o.event_key = r.event_key)
),
judged as (
    select
        a.event_key, a.event_time, a.id, a.is_of_its_window,
        a.is_of_its_window or exists (
            select 1
            from window_reads as w
            where w.source = $source
              and not w.is_mark
              and w.window_start <= a.event_time
              and w.window_end > a.event_time
              and (w.read_at, w.read_id) > (a.first_seen_at, a.read_id)
              and case
                  when w.unshown is null then w.vanished = 0
                  else not list_contains(w.unshown, a.event_key)
              end
        ) as is_shown
    from absent as a
),
vanished as (
    select
        count(*) filter (where j.is_shown) as vanished,
        -- Of an event that the source has altered, this read shows the other form.
        count(*) filter (where j.is_shown and i.id is null) as missing,
        max(j.event_time) filter (where j.is_shown) as last_vanished,
        list(j.event_key order by j.event_key) filter (where not j.is_of_its_window) as unshown
    from judged as j
    left join ids as i on i.id = j.id
)
select
    v.vanished, v.missing,
    v.vanished > 0 and coalesce(v.last_vanished < $first_inside::timestamp, true) as is_forgotten,
    cast(to_json(coalesce(v.unshown, [])) as varchar) as unshown
from vanished as v;
