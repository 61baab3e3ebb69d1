-- Equal events that version 1 entered with several reads, because a later one showed more of them. They stand with the
-- earliest of those reads that have no pages any more. There they count together, as one read had shown them.
create or replace temp table moved as
with
candidates as (
    select event_time, event_name, id
    from former.event_rows
    group by event_time, event_name, id
    -- Distinct reads are not counted: that takes memory for each group.
    having min(read_id) <> max(read_id)
),
alike as (
    select r.row_id, r.read_id, r.page, r.first_seen_at, md5(r.record) as content
    from old.records as r
    inner join candidates as c
        on c.event_time = r.event_time
        and c.event_name is not distinct from r.event_name
        and c.id is not distinct from r.id
),
goals as (
    select
        content,
        arg_min({'read_id': read_id, 'page': page}, (first_seen_at, read_id, page))
            filter (where list_contains($carried, read_id)) as goal
    from alike
    group by content
    having min(read_id) <> max(read_id)
)
select a.row_id, g.goal.read_id as read_id, g.goal.page as page
from alike as a
inner join goals as g on g.content = a.content
where g.goal is not null;
