-- part: unread_stretches
-- The whole days of the range that were read, with events or without.
digits (digit) as (
    values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)
),
numbers as (
    select ones.digit + 10 * tens.digit + 100 * hundreds.digit + 1000 * thousands.digit as n
    from digits as ones
    cross join digits as tens
    cross join digits as hundreds
    cross join digits as thousands
),
firsts as (
    select source, min(event_date) as first_date
    from present
    group by source
),
days as (
    select f.source, cast(f.first_date + n.n * interval '1' day as date) as event_date
    from firsts as f
    cross join numbers as n
    where cast(f.first_date as timestamp) + n.n * interval '1' day >= cast($since as timestamp)
      and cast(f.first_date as timestamp) + (n.n + 1) * interval '1' day <= cast($until as timestamp)
),
read_days as (
    select d.source, d.event_date
    from days as d
    left join present as p on p.source = d.source and p.event_date = d.event_date
    where p.source is not null
       or not exists (
           select 1
           from unread as u
           where u.source = d.source
             and coalesce(u.unread_until > cast(d.event_date as timestamp), true)
             and u.unread_from < cast(d.event_date as timestamp) + interval '1' day
       )
),
