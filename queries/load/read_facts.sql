-- What a read held, before the rows that were known are taken out: its digest does not depend on order.
with
own as (
    select event_key, event_time
    from event_rows
    where read_id = $read_id
),
facts as (
    select
        count(*) as records,
        count(*) filter (where event_time < $window_start::timestamp or event_time >= $window_end::timestamp) as outside,
        coalesce(bit_xor(md5_number(cast(event_key as varchar))), 0) as mixed,
        min(event_time) as first_event_time,
        max(event_time) as last_event_time
    from own
),
vanished as (
    select count(*) as vanished
    from event_rows as r
    where r.source = $source
      and r.read_id <> $read_id
      and r.event_time >= $window_start::timestamp
      and r.event_time < $window_end::timestamp
      and not exists (select 1 from own as o where o.event_key = r.event_key)
)
select
    f.records, f.outside, f.first_event_time, f.last_event_time, v.vanished,
    md5(cast(f.records as varchar) || ':' || cast(f.mixed as varchar)) as digest
from facts as f
cross join vanished as v;
