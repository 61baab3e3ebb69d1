-- Records of the staged files that became no event row, with the reason and without what staging added.
with
lines as (
    select line, cast(parse_filename(filename, true) as integer) as page
    from read_csv(
        $files, columns = {'line': 'VARCHAR'}, delim = chr(31), quote = '', escape = '', header = false,
        auto_detect = false, filename = true, max_line_size = $line_bytes, buffer_size = $buffer_bytes
    )
),
judged as (
    select
        page,
        line,
        case
            when not json_valid(line) then 'invalid_json'
            when json_extract_string(line, '$.time') is null then 'no_time'
            when not coalesce(fits_moment(to_moment(json_extract_string(line, '$.time'))), false) then 'bad_time'
        end as reason
    from lines
)
select
    page,
    reason,
    regexp_replace(
        line, '(,"auditlake:fingerprint":"[0-9a-f]{32}")?(,"auditlake:others":[{].*[}])?[}]$', '}'
    ) as record_text
from judged
where reason is not null
order by page, reason, record_text;
