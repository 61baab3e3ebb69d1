-- Where the readings of the policies that are due stand among the changes in the log. `ordered` where no change lies
-- within the interval of the reading: it comes after those before it. `agreed` where it shows the set before or after
-- a change of its interval: the log has the order, and the reading adds nothing. `disputed` where it shows another set,
-- so that nobody knows which of the two came last. A reading without a time of the service is stamped by the clock of
-- this machine, which may be wrong by 30 hours (pipeline/core/source/clock.ts): it agrees, too, where the log had its set.
update policy_snapshots as s
set place = 'ordered'
from access_due as d
where d.source = s.source and d.subject_kind = 'policy' and d.subject_id = s.policy_id
  and s.place <> 'ordered';

update policy_snapshots as s
set place = p.place
from (
    with
    due as (
        select distinct source, subject_id as policy_id from access_due where subject_kind = 'policy'
    ),
    readings as (
        select
            s.source, s.policy_id, s.read_at, s.state, s.earliest_at is not null as is_dated,
            coalesce(s.earliest_at, s.read_at - interval 30 hour) as earliest_at,
            coalesce(s.latest_at, s.read_at + interval 30 hour) as latest_at
        from policy_snapshots as s
        semi join due as d on d.source = s.source and d.policy_id = s.policy_id
    ),
    -- Sets as text: `gone` without a policy, null where the log does not show it.
    stated as (
        select
            m.source, m.subject_id as policy_id, m.event_time as changed_at,
            case when bool_and(m.is_held_before is not null) then to_json(list_sort(coalesce(
                list({'kind': m.resource_kind, 'operation': m.operation, 'id': m.object_id, 'name': m.object_name})
                    filter (where m.operation is not null and m.is_held_before), []
            )))::varchar end as found_set,
            to_json(list_sort(coalesce(
                list({'kind': m.resource_kind, 'operation': m.operation, 'id': m.object_id, 'name': m.object_name})
                    filter (where m.operation is not null and m.is_held_after), []
            )))::varchar as left_set
        from permission_mark_rows as m
        semi join due as d on d.source = m.source and d.policy_id = m.subject_id
        where m.subject_kind = 'policy' and m.is_statement
        group by m.source, m.subject_id, m.event_time, m.event_key
    ),
    turns as (
        select
            e.source, e.resource_id as policy_id, e.event_time as changed_at,
            e.canonical_name = 'permission_policy_create' as is_making
        from access_event_rows as e
        semi join due as d on d.source = e.source and d.policy_id = e.resource_id
        where e.canonical_name in ('permission_policy_create', 'permission_policy_delete') and e.is_successful
    ),
    changes as (
        select source, policy_id, changed_at, found_set, left_set, false as is_making, false as is_deletion
        from stated
        union all
        select
            source, policy_id, changed_at, case when is_making then 'gone' end as found_set,
            case when is_making then '[]' else 'gone' end as left_set, is_making, not is_making as is_deletion
        from turns
    ),
    near as (
        select
            r.source, r.policy_id, r.read_at, c.changed_at, c.found_set, c.left_set, c.is_making, c.is_deletion,
            -- What shows a policy was read after its creation.
            not (c.is_making and r.is_dated and r.state <> 'gone') as is_open
        from readings as r
        inner join changes as c
            on c.source = r.source and c.policy_id = r.policy_id
            and c.changed_at >= r.earliest_at and c.changed_at < r.latest_at
    ),
    open_readings as (
        select distinct source, policy_id, read_at
        from near
        where is_open
    ),
    -- The readings that the log may have an order for, with what they show.
    doubtful as (
        select r.source, r.policy_id, r.read_at, r.state, r.earliest_at
        from readings as r
        where not r.is_dated
           or exists (
               select 1 from open_readings as n
               where n.source = r.source and n.policy_id = r.policy_id and n.read_at = r.read_at
           )
    ),
    shown as (
        select
            r.source, r.policy_id, r.read_at,
            case
                when r.state = 'gone' then 'gone'
                else to_json(list_sort(coalesce(list(distinct {
                    'kind': p.resource_kind, 'operation': p.operation, 'id': p.object_id, 'name': p.object_name
                }) filter (where p.operation is not null), [])))::varchar
            end as shown_set
        from readings as r
        left join policy_permission_rows as p
            on p.source = r.source and p.policy_id = r.policy_id
            and p.valid_from <= r.read_at and coalesce(p.valid_to > r.read_at, true)
        semi join doubtful as q on q.source = r.source and q.policy_id = r.policy_id
        group by r.source, r.policy_id, r.read_at, r.state
    ),
    -- What the log had before the interval, and since when.
    before_it as (
        select q.source, q.policy_id, q.read_at, max(c.changed_at) as changed_at
        from doubtful as q
        inner join changes as c
            on c.source = q.source and c.policy_id = q.policy_id and c.changed_at < q.earliest_at
        group by q.source, q.policy_id, q.read_at
    ),
    earlier as (
        select
            s.source, s.policy_id, s.read_at,
            lag(s.read_at) over policy_in_time as read_before, lag(s.shown_set) over policy_in_time as shown_before
        from shown as s
        window policy_in_time as (partition by s.source, s.policy_id order by s.read_at)
    ),
    known_sets as (
        select b.source, b.policy_id, b.read_at, c.left_set as known_set
        from before_it as b
        inner join changes as c
            on c.source = b.source and c.policy_id = b.policy_id and c.changed_at = b.changed_at
        union all
        select n.source, n.policy_id, n.read_at, unnest([n.found_set, n.left_set]) as known_set
        from near as n
        union all
        -- Nobody has to have stated what was deleted.
        select n.source, n.policy_id, n.read_at, s.shown_set as known_set
        from near as n
        inner join shown as s on s.source = n.source and s.policy_id = n.policy_id and s.read_at = n.read_at
        where s.shown_set <> 'gone'
        group by n.source, n.policy_id, n.read_at, s.shown_set
        having bool_or(n.is_deletion) and not bool_or(n.is_making)
        union all
        -- A change that does not state the set before it leaves the one that was read before it.
        select e.source, e.policy_id, e.read_at, e.shown_before as known_set
        from earlier as e
        semi join open_readings as n on n.source = e.source and n.policy_id = e.policy_id and n.read_at = e.read_at
        left join before_it as b
            on b.source = e.source and b.policy_id = e.policy_id and b.read_at = e.read_at
        where coalesce(b.changed_at < e.read_before, true)
    )
    select
        s.source, s.policy_id, s.read_at,
        case
            when exists (
                select 1 from known_sets as k
                where k.source = s.source and k.policy_id = s.policy_id and k.read_at = s.read_at
                  and k.known_set = s.shown_set
            ) and (n.policy_id is not null or coalesce(e.shown_before = s.shown_set or e.read_before < b.changed_at, true))
            then 'agreed'
            when n.policy_id is not null then 'disputed'
            else 'ordered'
        end as place
    from shown as s
    semi join doubtful as q on q.source = s.source and q.policy_id = s.policy_id and q.read_at = s.read_at
    inner join earlier as e on e.source = s.source and e.policy_id = s.policy_id and e.read_at = s.read_at
    left join before_it as b on b.source = s.source and b.policy_id = s.policy_id and b.read_at = s.read_at
    left join open_readings as n
        on n.source = s.source and n.policy_id = s.policy_id and n.read_at = s.read_at
) as p
where p.source = s.source and p.policy_id = s.policy_id and p.read_at = s.read_at
  and p.place <> 'ordered';
