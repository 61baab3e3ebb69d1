-- The few events about permissions, in a separate table. The marks exist already.
insert into access_event_rows (
    event_key, source, event_time, event_date, canonical_name, is_successful, user_id, user_email, ip_address,
    resource_id, resource_name, affected_user, old_value, new_value,
    read_id, page_number, record_number
)
with
unparsed as (
    select distinct source, event_key
    from permission_mark_rows
    where is_unparsed
)
select
    e.event_key, e.source, e.event_time, e.event_date, e.canonical_name, e.is_successful,
    e.user_id, e.user_email, e.ip_address,
    e.resource_id, e.resource_name, e.affected_user,
    case when u.event_key is not null then e.old_text end as old_value,
    case when u.event_key is not null then e.new_text end as new_value,
    e.read_id, e.page_number, e.record_number
from due_access_events as e
left join unparsed as u on u.source = e.source and u.event_key = e.event_key
order by e.event_time, e.source, e.event_key;

drop table due_access_events;
