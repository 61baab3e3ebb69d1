changes as (
    select
        source, event_time, event_key, change, operation, object_id, object_name, subject_kind, subject_id, subject_name
    from permission_changes
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
),
