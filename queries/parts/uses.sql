-- part: use_events
-- What people did with databases in the range: per person, operation that it counts for, and database, when last.
-- Where no event names the database so, database_id is null.
last_done as (
    select source, user_id, email, database_name, database_id, what, max(used_at) as used_at
    from done
    group by source, user_id, email, database_name, database_id, what
),
needed as (
    select
        done.source, coalesce(done.user_id, emails.user_id) as user_id, done.database_name, done.database_id,
        rules.operation, max(done.used_at) as last_used_at
    from last_done as done
    inner join use_rules as rules on rules.what = done.what
    left join emails on emails.source = done.source and emails.email = done.email
    where coalesce(done.user_id, emails.user_id) is not null
    group by
        done.source, coalesce(done.user_id, emails.user_id), done.database_name, done.database_id, rules.operation
),
placed as (
    select
        needed.source, needed.user_id, needed.operation, needed.last_used_at,
        coalesce(needed.database_id, names.database_id) as database_id
    from needed
    left join names
        on names.source = needed.source
        and names.database_name = needed.database_name
        and needed.database_id is null
),
owned as (
    select
        placed.source, placed.user_id, placed.operation, placed.database_id, placed.last_used_at,
        coalesce(databases.creator_user_id = placed.user_id, false) as is_own
    from placed
    left join databases
        on databases.source = placed.source
        and databases.database_id = placed.database_id
),
-- Any use counts for manage, too, and one on the user's own databases for owner_manage.
uses as (
    select source, user_id, operation, database_id, max(last_used_at) as last_used_at
    from (
        select source, user_id, operation, database_id, last_used_at from owned
        union all
        select source, user_id, 'manage' as operation, database_id, last_used_at from owned
        union all
        select source, user_id, 'owner_manage' as operation, database_id, last_used_at from owned where is_own
    ) as counted
    group by source, user_id, operation, database_id
),
