-- One row per event that was denied or failed (seed 001, Errors).
create or replace view denials as
select
    event_key, source, event_time, event_date, event_name, canonical_name, area, operation, verb, path,
    outcome, denial_kind, event_result,
    user_id, actor_email, actor_email_source, actor, ip_address,
    resource_type, resource_id, resource_name, visibility, required_visibility,
    target_resource_id, target_resource_name,
    first_seen_at
from events
where outcome in ('denied', 'failed');
