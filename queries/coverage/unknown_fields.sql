-- Fields that were kept in `extra`: not in the reference, or known with a value that does not fit its type.
with
fields as (
    select event_name, unnest(json_keys(extra)) as field
    from events
    where extra is not null and json_type(extra) = 'OBJECT' and ($source is null or source = $source)
),
known as (
    select distinct column_name from information_schema.columns where table_name = 'event_rows'
)
select
    field,
    case
        when field in (select column_name from known) or field = 'time' then 'does not fit its type'
        else 'not in the reference'
    end as reason,
    count(*) as events,
    count(distinct event_name) as event_names,
    min(event_name) as for_example
from fields
group by field
order by events desc, field;
