-- Whether a page of a read came twice in one part of it, in any order and spelling. Another one was left out in its
-- place. Where ids name some of its records, no two events are that. Without ids equal events are ordinary, but two
-- pages of several times cannot be alike where all else stands in order. A page of one or two records may repeat by chance.
with
records as (
    select
        coalesce(list_extract($parts, page_number + 1), 0) as part,
        page_number, record_number, event_time
    from event_rows
    where read_id = $read_id
),
pages as (
    select page_number, count(*) as records
    from records
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
    select a.part, a.page_number, a.has_ids, a.event_keys
    from alike as a
    inner join pages as p on p.page_number = a.page_number and p.records = a.records
    where a.keys > 2
      and (a.has_ids or a.times > 2)
),
twice as (
    select part, page_number, has_ids
    from candidates
    qualify row_number() over (partition by part, event_keys order by page_number) > 1
),
steps as (
    select
        r.part, r.event_time,
        lag(r.event_time) over (partition by r.part order by r.page_number, r.record_number) as time_before
    from records as r
    semi join twice as t on t.part = r.part and not t.has_ids
    where r.page_number not in (select t.page_number from twice as t)
),
ordered as (
    select part
    from steps
    group by part
    having bool_and(event_time >= time_before) or bool_and(event_time <= time_before)
)
select count(*) > 0 as is_sent_again
from twice as t
where t.has_ids
   or t.part in (select o.part from ordered as o);
