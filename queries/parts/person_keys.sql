-- What a person goes by, from JSON: objects with a source and a user_id or an email.
keys as (
    select unnest(
        from_json($keys::varchar, '[{"source": "VARCHAR", "user_id": "BIGINT", "email": "VARCHAR"}]'), recursive := true
    )
),
ids as (
    select source, user_id
    from keys
    where user_id is not null
),
emails as (
    select source, email
    from keys
    where email is not null
),
