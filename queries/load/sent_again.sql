-- Whether a page of a read came twice in one part of it, in any order and spelling. Another one was left out in its
-- place. Where ids name some of its records, no two events are that. Without ids equal events of a second are ordinary,
-- and those of two may stand on two pages alike. A page of one record alone may repeat by chance.
with
pages as (
    select page_number, count(*) as records
    from event_rows
    where read_id = $read_id
    group by page_number
),
alike as (
    select
        part, page_number, bool_or(has_id) as has_ids, count(distinct event_time) as times,
        count(*) as records, count(distinct event_key) as keys,
        list_sort(list(event_key)) as event_keys
    from repeated
    group by part, page_number
),
candidates as (
    select a.part, a.event_keys
    from alike as a
    inner join pages as p on p.page_number = a.page_number and p.records = a.records
    where a.keys > 1
      and (a.has_ids or a.times > 2)
),
twice as (
    select part, event_keys
    from candidates
    group by part, event_keys
    having count(*) > 1
)
select count(*) > 0 as is_sent_again
from twice;
