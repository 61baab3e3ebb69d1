-- The next texts that nobody has read yet, the newest first, so that last night's are there before old ones. None of
-- more than max_bytes is brought.
with
unread as (
    select d.text_hash, max_by({'at': d.text_time, 'key': d.text_key}, d.text_time) as place
    from query_text_due as d
    anti join query_text_rows as t on t.text_hash = d.text_hash
    group by d.text_hash
),
chosen as (
    select text_hash, place.at as text_time, place.key as text_key
    from unread
    order by text_time desc, text_hash
    limit $texts
)
select
    cast(c.text_hash as varchar) as text_hash,
    case when is_hive_job(e.job_type) then 'hive' else 'trino' end as dialect,
    case when strlen(e.query_text) <= $max_bytes then e.query_text end as query_text
from chosen as c
inner join event_rows as e on e.event_time = c.text_time and e.event_key = c.text_key
order by c.text_time desc, c.text_hash;
