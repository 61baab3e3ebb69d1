-- name: held
-- The zones that are there; the default first.
select timezone
from timezone_offset_rows
group by timezone, is_default
order by is_default desc, timezone;

-- name: fill
-- The intervals of the zones that the configuration names, in place of those of before. The first and the last of a
-- zone go on for ever.
delete from timezone_offset_rows;

insert into timezone_offset_rows by name
with
given as (
    select unnest(from_json($intervals::json, '[{
        "timezone": "varchar", "is_default": "boolean", "from_ms": "bigint", "to_ms": "bigint", "minutes": "integer"
    }]')) as stretch
),
placed as (
    select
        stretch.timezone as timezone, stretch.is_default as is_default, stretch.minutes as offset_minutes,
        epoch_ms(stretch.from_ms) as valid_from, epoch_ms(stretch.to_ms) as valid_to,
        min(stretch.from_ms) over (partition by stretch.timezone) = stretch.from_ms as is_first,
        max(stretch.to_ms) over (partition by stretch.timezone) = stretch.to_ms as is_last
    from given
)
select
    timezone, is_default,
    case when is_first then timestamp '1900-01-01' else valid_from end as valid_from,
    case when is_last then timestamp '9999-12-31' else valid_to end as valid_to,
    offset_minutes, $rules as rules
from placed
order by timezone, valid_from;
