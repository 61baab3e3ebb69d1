-- What readers see of each simulated source: equal records with their number, the unreadable ones among them.
with
readable as (
    select
        source,
        coalesce(id, '') || '/' || session_id as label,
        epoch_ms(event_time) as time_ms,
        concat_ws(chr(31), event_name, user_id, new_value, cast(extra as varchar)) as content
    from events
),
unreadable as (
    select
        source,
        'unreadable ' || coalesce(json_extract_string(record_text, '$.id'), '') || '/'
            || json_extract_string(record_text, '$.session_id') as label,
        null as time_ms,
        null as content
    from quarantine
),
everything as (
    select source, label, time_ms, content from readable
    union all
    select source, label, time_ms, content from unreadable
)
select source, label, time_ms, content, count(*) as held
from everything
group by source, label, time_ms, content
order by source, label, time_ms, content;
