-- How the texts of query jobs stand; one row. Each counts once, however many jobs run it.
select
    count(*) filter (where state = 'parsed') as parsed,
    count(*) filter (where state = 'failed') as failed,
    count(*) filter (where state = 'timed_out') as timed_out,
    count(*) filter (where state = 'too_large') as too_large,
    (
        select count(distinct d.text_hash)
        from query_text_due as d
        where not exists (select 1 from query_text_rows as t where t.text_hash = d.text_hash)
    ) as waiting
from query_text_rows;
