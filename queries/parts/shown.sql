-- The events of `found` to show: all, or the newest. Other columns are read only for these.
placed as (
    select source, event_time, event_key, person, row_number() over (order by event_time desc) as place
    from found
),
page as (
    select date_trunc('second', min(event_time)) as shown_from
    from placed
    where place <= cast($newest as integer)
),
picked as (
    select f.source, f.event_time, f.event_key, f.person
    from found as f
    cross join page as b
    where b.shown_from is null
       or f.event_time >= b.shown_from
),
-- By the time alone, which leads to what is read of the table; a key is made of the rows that are left. Of what has to
-- be counted, an engine expects few, and looks for them while it reads the table (measured with DuckDB 1.5.6).
seconds as (
    select
-- part: entry_columns
        e.event_date
    from events as e
    where e.event_time >= cast($since as timestamp)
      and e.event_time < cast($until as timestamp)
      and e.event_time in (select t.event_time from picked as t group by t.event_time having count(*) > 0)
),
shown as (
    select
-- part: entry_columns
        p.person
    from seconds as e
    inner join picked as p
        on p.source = e.source and p.event_time = e.event_time and p.event_key = e.event_key
),
