        -- The columns of an event that the page of a subject counts.
        e.event_time, e.user_id, e.actor, e.ip_address, coalesce(e.canonical_name, e.event_name, 'unknown') as event_name,
        e.area, e.outcome, e.denial_kind, e.bytesize, e.database_name,
