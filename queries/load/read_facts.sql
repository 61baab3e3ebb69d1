-- What a read held, before the rows that were known are taken out, and how many of its rows repeat a key. The digest is
-- the number of records inside the window and the mix of their keys. It depends neither on order nor on what a service
-- sends beside the window.
with
own as (
    select
        event_key, event_time, id,
        $window_start::timestamp is null
            or (event_time >= $window_start::timestamp and event_time < $window_end::timestamp) as is_inside
    from event_rows
    where read_id = $read_id
),
facts as (
    select
        count(*) as records,
        count(distinct event_key) as keys,
        count(*) filter (where is_inside) as inside,
        coalesce(bit_xor(md5_number(cast(event_key as varchar))) filter (where is_inside), 0) as mixed,
        min(event_time) filter (where is_inside) as first_inside,
        min(event_time) as first_event_time,
        max(event_time) as last_event_time
    from own
),
ids as (
    select distinct id
    from own
    where id is not null and $window_start::timestamp is not null
),
vanished as (
    -- What a file brought shows nothing of what the service has forgotten.
    select
        count(*) as vanished,
        count(w.read_id) as shown_before,
        -- Of an event that the source has altered, this read shows the other form.
        count(w.read_id) filter (where i.id is null) as lacking,
        max(r.event_time) filter (where w.read_id is not null) as last_vanished
    from event_rows as r
    left join window_reads as w on w.read_id = r.read_id and w.window_start is not null
    left join ids as i on i.id = r.id
    where r.source = $source
      and r.read_id <> $read_id
      and r.event_time >= $window_start::timestamp
      and r.event_time < $window_end::timestamp
      and not exists (select 1 from own as o where o.event_key = r.event_key)
)
select
    f.records, f.records - f.keys as repeated, f.records - f.inside as outside, f.first_event_time, f.last_event_time, v.vanished, v.lacking,
    v.shown_before > 0 and coalesce(v.last_vanished < f.first_inside, true) as is_forgotten,
    cast(f.inside as varchar) || ':' || cast(f.mixed as varchar) as digest
from facts as f
cross join vanished as v;
