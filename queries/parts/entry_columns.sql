        -- The columns of an event that an entry of a timeline shows.
        e.source, e.event_key, e.event_time, e.user_id, e.actor, e.ip_address, e.event_name, e.canonical_name,
        e.operation, e.outcome, e.denial_kind, e.event_result, e.attribute_name, e.bytesize, e.query_text,
        e.resource_id, e.resource_name, e.resource_path, e.target_table, e.target_resource_id, e.target_resource_name,
        e.affected_user_id, e.affected_user, e.database_name,
