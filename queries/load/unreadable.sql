-- Records of the staged files that became no event row, with the reason and without what staging added. Each
-- is parsed once: a record can be many megabytes.
with
lines as (
    select line, cast(parse_filename(filename, true) as integer) as page
    from read_csv(
        $files, columns = {'line': 'VARCHAR'}, delim = chr(31), quote = '', escape = '', header = false,
        auto_detect = false, hive_partitioning = false, filename = true, max_line_size = $line_bytes, buffer_size = $buffer_bytes
    )
),
timed as (
    select page, line, try(json_extract_string(line, '$.time')) as time_text
    from lines
),
judged as (
    select
        page,
        line,
        case
            when coalesce(fits_moment(to_moment(time_text)), false) then null
            when time_text is not null then 'bad_time'
            when json_valid(line) then 'no_time'
            else 'invalid_json'
        end as reason
    from timed
)
select
    page,
    reason,
    regexp_replace(
        line,
        '(,"auditlake:number":[0-9]+)(,"auditlake:id":"([^"\\]|\\.)*")?(,"auditlake:texts":"([^"\\]|\\.)*")?(,"auditlake:others":[{].*[}])?[}]$', '}'
    ) as record_text
from judged
where reason is not null;
