-- The user of an event without an id: the present owner of its e-mail, else an earlier one.
owners as (
    select source, user_id, email
    from (
        select
            source, user_id, name as email, kind,
            min(kind) over (partition by source, name) as newest_kind
        from user_names
        where kind in ('email', 'former_email')
          and user_id is not null
    ) as had
    where kind = newest_kind
),
