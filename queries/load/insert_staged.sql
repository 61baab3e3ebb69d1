-- The rows of one read from those that were made for several.
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
