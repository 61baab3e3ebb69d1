-- Equal records on different pages of one read can be two events, or one event that moved to the next page during the
-- read; then another event may have been skipped. Of records without an id, only the largest number on one page is
-- certain. The others wait for a read that repeats the previous one; outside the requested window, where reads are not
-- compared, for the read of their own window. Withheld records are counted if the store does not have them.
create or replace temp table ambiguous as
with
by_page as (
    select event_key, part, page_number, count(*) as copies
    from repeated
    group by event_key, part, page_number
),
by_part as (
    select event_key, part, max(copies) as certain
    from by_page
    group by event_key, part
    having count(*) > 1
),
scattered as (
    select event_key, max(certain) as certain
    from by_part
    group by event_key
)
select
    n.row_id, n.has_id, n.ordinal, s.certain,
    $window_start::timestamp is null
        or (e.event_time >= $window_start::timestamp and e.event_time < $window_end::timestamp) as is_inside,
    exists (
        select 1
        from event_rows as k
        where k.event_key = e.event_key and k.event_date = e.event_date and k.read_id <> $read_id
    ) as is_stored
from numbered as n
inner join scattered as s on s.event_key = n.event_key
inner join event_rows as e on e.rowid = n.row_id;

delete from event_rows
where read_id = $read_id
  and rowid in (
      select row_id
      from ambiguous
      where not has_id and ordinal > certain and not (is_inside and $keep_inside)
  );

select
    count(*) filter (where is_inside) as ambiguous,
    count(*) filter (
        where not has_id and ordinal > certain and not (is_inside and $keep_inside) and not is_stored
    ) as withheld
from ambiguous;
