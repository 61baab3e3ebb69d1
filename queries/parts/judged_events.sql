-- Events of a range that hold a text and are about an object, with the values that filters compare, and whether each
-- filter fits. What is not recorded is the word none; a person is an e-mail, a user id or `user 17`.
-- A job began before what is recorded of it, however long before: its result may be fetched weeks later.
touching as (
    select source, job_id
    from query_tables
    where job_date <= cast(cast($until as timestamp) as date)
      and $object is not null
      -- Only tables that the requested name ends with are concatenated, which are few.
      and ends_with(lower($object), table_name)
      and (
          table_name = lower($object)
          or coalesce(database_name || '.', '') || table_name = lower($object)
      )
),
judged as (
    select
        source, event_time, event_key, user_id, canonical_name, operation, verb, path, resource_name, resource_id,
        actor as person,
        coalesce(nullif(event_name, ''), 'none') as event,
        coalesce(nullif(ip_address, ''), 'none') as address,
        outcome,
        coalesce(area, 'none') as area,
        coalesce(denial_kind, 'none') as kind,
        coalesce(database_name, 'none') as database,
        ($person is null or list_contains($person, actor)
            or coalesce(list_contains($person, cast(user_id as varchar)), false))
        and ($not_person is null or not (list_contains($not_person, actor)
            or coalesce(list_contains($not_person, cast(user_id as varchar)), false)))
        as fits_person,
        ($event is null or list_contains($event, coalesce(nullif(event_name, ''), 'none'))
            or coalesce(list_contains($event, canonical_name), false))
        and ($not_event is null or not (list_contains($not_event, coalesce(nullif(event_name, ''), 'none'))
            or coalesce(list_contains($not_event, canonical_name), false)))
        as fits_event,
        ($address is null or list_contains($address, coalesce(nullif(ip_address, ''), 'none')))
        and ($not_address is null or not list_contains($not_address, coalesce(nullif(ip_address, ''), 'none')))
        as fits_address,
        ($outcome is null or list_contains($outcome, outcome))
        and ($not_outcome is null or not list_contains($not_outcome, outcome))
        as fits_outcome,
        ($area is null or list_contains($area, coalesce(area, 'none')))
        and ($not_area is null or not list_contains($not_area, coalesce(area, 'none')))
        as fits_area,
        ($kind is null or list_contains($kind, coalesce(denial_kind, 'none')))
        and ($not_kind is null or not list_contains($not_kind, coalesce(denial_kind, 'none')))
        as fits_kind,
        ($database is null or list_contains($database, coalesce(database_name, 'none')))
        and ($not_database is null or not list_contains($not_database, coalesce(database_name, 'none')))
        as fits_database
    from events
    where event_time >= cast($since as timestamp)
      and event_time < cast($until as timestamp)
      and (
          $object is null
          or resource_id = $object
          or resource_name = $object
          or target_table = $object
          or area = 'Jobs' and (source, resource_id) in (select (source, job_id) from touching)
      )
      and (
          $text is null
          or contains(lower(concat_ws(
              chr(10), event_name, path, resource_name, resource_path, target_table, target_resource_name,
              target_connection, affected_user, attribute_name, query_text, old_value, new_value, old_values,
              new_values, event_detail
          )), lower($text))
      )
)
