-- When the directory showed the flags of users. A user who is only on a later list was not there before it.
create or replace temp table listed_flags as
with
openings as (
    select source, min(valid_from) as first_read_at
    from user_history
    group by source
),
versions as (
    select
        s.series_key, d.operation, d.is_held, d.valid_to, nullif(d.valid_from, o.first_read_at) as valid_from,
        case
            when d.is_held and lag(d.is_held) over versions_in_time
                and lag(d.valid_to) over versions_in_time = d.valid_from then 0
            else 1
        end as opens
    from directory_flags as d
    inner join due_series as s
        on s.source = d.source and s.subject_kind = 'user' and s.subject_id = cast(d.user_id as varchar)
        and s.origin = 'flag' and s.scope_id = d.operation
    inner join openings as o on o.source = d.source
    window versions_in_time as (partition by s.series_key order by d.valid_from)
),
numbered as (
    select
        series_key, operation, is_held, valid_from, valid_to,
        sum(opens) over (
            partition by series_key order by valid_from nulls first
            rows between unbounded preceding and current row
        ) as place
    from versions
)
select
    series_key, permission_of('Account', operation, null::varchar, null::varchar) as permission,
    case when count(*) = count(valid_from) then min(valid_from) end as valid_from,
    case when count(*) = count(valid_to) then max(valid_to) end as valid_to
from numbered
where is_held
group by series_key, operation, place;
