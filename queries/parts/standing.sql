-- Policies that exist at the moment, and whether their rights in that existence interval are known, from their
-- creation, a change of their set, or a snapshot. is_known is 0 if unknown.
known_times as (
    select source, subject_id as policy_id, event_time as known_time
    from permission_marks
    where subject_kind = 'policy'
      and is_statement
    union
    select source, policy_id, read_at as known_time
    from policy_snapshots
    where state <> 'gone'
      and place <> 'disputed'
),
lives as (
    select source, object_id as policy_id, valid_from, valid_to, created_at
    from object_lives
    where object_kind = 'policy'
      and
      -- part: valid_on
),
known_policies as (
    select distinct l.source, l.policy_id
    from lives as l
    inner join known_times as t on t.source = l.source and t.policy_id = l.policy_id
    where (l.valid_from is null or t.known_time >= l.valid_from)
      and (l.valid_to is null or t.known_time <= l.valid_to)
),
standing as (
    select
        l.source, l.policy_id, p.policy_name, l.created_at,
        case when l.created_at is not null or t.policy_id is not null then 1 else 0 end as is_known
    from lives as l
    left join policies as p on p.source = l.source and p.policy_id = l.policy_id
    left join known_policies as t on t.source = l.source and t.policy_id = l.policy_id
),
