-- Multiplicity of a key in one read. With an id, each different content counts once. Without an id, each record counts,
-- because two equal events in one second are two events. Of overlapping parts of a read, the largest number counts. The
-- files of one import are such parts for each content: an equal record in another file is the same event, a record that
-- differs in an unknown field is another one. Stored contents come first, so that new ones are added.
create or replace temp table numbered as
with
nameless as (
    select event_key, part, case when $is_file then content else '' end as kind
    from repeated
    where not has_id
),
by_part as (
    select event_key, kind, part, count(*) as copies
    from nameless
    group by event_key, kind, part
),
fullest as (
    select event_key, kind, arg_max(part, (copies, -part)) as part
    from by_part
    group by event_key, kind
),
counting as (
    select r.row_id, r.event_key, r.event_date, r.page_number, r.record_number, r.has_id, r.content
    from repeated as r
    left join fullest as f
        on f.event_key = r.event_key and f.kind = case when $is_file then r.content else '' end
    where r.has_id or r.part = f.part
    qualify not r.has_id
        or row_number() over (
            partition by r.event_key, r.content order by r.page_number, r.record_number
        ) = 1
),
groups as (
    select event_key, min(event_date) as event_date, count(*) as copies
    from counting
    group by event_key
),
equals as (
    select event_key, event_date, unnest(generate_series(1, copies)) as ordinal
    from groups
),
stored as (
    select distinct q.event_key, content_text(s.extra) as content
    from equals as q
    inner join event_rows as s on s.event_key = key_of_equal(q.event_key, q.ordinal) and s.event_date = q.event_date
    where s.read_id <> $read_id
)
select
    c.row_id, c.event_key, c.page_number, c.has_id,
    row_number() over (
        partition by c.event_key
        order by case when s.content is null then 1 else 0 end, c.page_number, c.record_number
    ) as ordinal
from counting as c
left join stored as s on s.event_key = c.event_key and s.content = c.content;

delete from event_rows
where read_id = $read_id
  and rowid in (select row_id from repeated where row_id not in (select n.row_id from numbered as n));

update event_rows
set event_key = key_of_equal(numbered.event_key, numbered.ordinal)
from numbered
where event_rows.rowid = numbered.row_id and numbered.ordinal > 1;
