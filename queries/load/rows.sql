-- name: tables
-- Records on their way to the quarantine.
create temp table rejects (page integer, sha256 varchar, reason varchar, record_text varchar);

-- Numbers of equal records; recreated by each read that has some.
create temp table numbered (row_id bigint, event_key uuid, page_number integer, has_id boolean, ordinal bigint);

-- name: plan_few
-- For few records the plan takes longer than what it plans: expressions that stand twice are not looked for.
set disabled_optimizers = 'join_order,build_side_probe_side,filter_pushdown,common_subexpressions';

-- name: plan_many
-- Joins run in the written order, because the number of records in files is unknown to the planner: with few expected,
-- the records would become the hash table of the catalog look-up. The test for a time also stays in place; pushed down,
-- it would parse the time twice.
set disabled_optimizers = 'join_order,build_side_probe_side,filter_pushdown';

-- name: insert
-- Everything the files hold goes in here; what was there already is taken out again by the statements that follow, in
-- the same transaction.
insert into event_rows by name
select * from normalised($files, $record_bytes, $source, $run_id, $read_id, $seen_at, $window_ms);

-- name: stage
-- The rows of several reads at once, before each is loaded: their pages are numbered through, and belong to no read.
create or replace temp table staged_rows as
select * from normalised($files, $record_bytes, $source, null, null, null, $window_ms);

-- name: insert_staged
-- The rows of one read from a batch of several.
insert into event_rows by name
select
    * replace (
        $run_id as run_id,
        $read_id as read_id,
        $seen_at::timestamp as first_seen_at,
        page_number - $first_page::integer as page_number
    )
from staged_rows
where page_number between $first_page and $last_page;

-- name: staged_counts
-- How many records of each page became rows.
select page_number as page, count(*) as accepted
from staged_rows
group by page_number
order by page;

-- name: page_counts
-- How many records of each page became event rows.
select page_number as page, count(*) as accepted
from event_rows
where read_id = $read_id
group by page_number
order by page;

-- name: drop_known
-- Rows of this read that an earlier read brought already. Merge by maximum: nothing else is ever deleted,
-- and nothing that is stored is changed.
delete from event_rows
where read_id = $read_id
  and event_key in (
      select k.event_key
      from event_rows as k
      where k.source = $source
        and k.read_id <> $read_id
        and k.event_date between cast($first_event_time::timestamp as date) and cast($last_event_time::timestamp as date)
  );

-- name: nameless
-- How many events without a name each page of a read brought.
select page_number as page, count(*) as nameless
from event_rows
where read_id = $read_id and nullif(event_name, '') is null
group by page_number
order by page;

-- name: unreadable
-- Records of the staged files that became no event row, with the reason and without what staging added. Each
-- is parsed once: a record can be many megabytes.
with
lines as (
    select
        line,
        regexp_extract(
            line,
            ',"auditlake:number":[0-9]+(,"auditlake:id":"([^"\\]|\\.)*")?(,"auditlake:texts":"([^"\\]|\\.)*")?(,"auditlake:others":[{].*[}])?[}]$'
        ) as added
    from read_csv(
        $files, columns = {'line': 'VARCHAR'}, delim = chr(31), quote = '', escape = '', header = false,
        auto_detect = false, hive_partitioning = false, max_line_size = $line_bytes, buffer_size = $buffer_bytes
    )
),
timed as (
    select
        cast(regexp_extract(added, '[0-9]+') as bigint) // $page_step::bigint as page,
        line,
        added,
        try(json_extract_string(line, '$.time')) as time_text
    from lines
    where list_contains($pages, cast(regexp_extract(added, '[0-9]+') as bigint) // $page_step::bigint)
),
judged as (
    select
        page,
        line,
        added,
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
    left(line, -length(added)) || '}' as record_text
from judged
where reason is not null;
