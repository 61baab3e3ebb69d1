-- The pending events about permissions, few among many, with what the steps that follow read of them.
create or replace temp table due_access_events as
select
    event_key, source, event_time, event_date, canonical_name, is_successful, operation_id,
    user_id, lower(nullif(user_email, '')) as user_email, ip_address,
    resource_id, resource_name, affected_user_id, affected_user, attribute_name,
    coalesce(old_value, old_values) as old_text,
    coalesce(new_value, new_values) as new_text,
    read_id, page_number, record_number
from due_events($first_time::timestamp, $last_time::timestamp)
where is_access_event(canonical_name);
