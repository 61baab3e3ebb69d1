-- How many records without an id a read showed that are known by their key, while their unknown fields differ from those
-- of every stored event of that key: they may be other events, whose own id the key does not know.
with
own as (
    select r.event_date, coalesce(n.event_key, r.event_key) as first_key, content_text(r.extra) as content
    from event_rows as r
    left join (select row_id, event_key from numbered where $has_repeated) as n on n.row_id = r.rowid
    where r.read_id = $read_id and r.id is null and r.extra is not null
      and exists (
          select 1
          from event_rows as k
          where k.event_key = r.event_key and k.event_date = r.event_date
            and k.source = $source and k.read_id <> $read_id
      )
),
candidates as (
    select o.first_key, o.event_date, o.content, unnest(generate_series(1, 64)) as ordinal
    from own as o
    where o.content <> ''
),
stored as (
    select distinct c.first_key, c.content
    from candidates as c
    inner join event_rows as k
        on k.event_key = key_of_equal(c.first_key, c.ordinal) and k.event_date = c.event_date
    where k.source = $source and k.read_id <> $read_id and content_text(k.extra) = c.content
)
select count(*) as unlike
from own as o
where o.content <> ''
  and not exists (select 1 from stored as s where s.first_key = o.first_key and s.content = o.content);
