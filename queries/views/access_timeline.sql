-- One row per user, flag and span of time in which the directory showed them so; valid_to null of the version in force.
create or replace view directory_flags as
select
    h.source, h.user_id, lower(h.email) as user_email, f.operation,
    coalesce(case f.operation when 'administrator' then h.administrator else h.account_owner end, false) as is_held,
    h.valid_from, h.valid_to
from user_history as h
cross join (values ('administrator'), ('account_owner')) as f (operation);

-- One row per right of a policy or a user and interval [valid_from, valid_to), with its evidence: `logged`; `seen` in a
-- snapshot of the policy or in the user directory; `inferred` for the time before the first evidence, or if changes
-- within one second leave it open; `contradicted` from the last change in the log to the snapshot that disagrees with
-- it, whichever of the two has the right; `unknown` from a gap in the ledger to the next evidence. At any moment the
-- newest evidence counts: a snapshot from its reading to the next change in the log, and the log from there to the next
-- reading. Rights that started or ended between two readings, without a change in the log, follow the readings.
-- subject, origin and object are as in permission_spans. held_since is the start of a right that a gap interrupts.
-- category is the console's word (seed 000, What the service does). snapshot_id is the snapshot that shows or
-- contradicts the right. Filled at load (queries/derived/access_timeline).
create or replace view access_timeline as
select
    t.source, t.subject_kind, t.subject_id, t.origin, t.resource_kind, t.operation,
    case when t.resource_kind = 'Databases' then t.object_id end as database_id,
    t.object_id, t.object_name,
    case
        when t.resource_kind = 'Databases' then case t.operation
            when 'manage' then 'full access'
            when 'download' then 'limited access'
            when 'owner_manage' then 'manage own'
            when 'import' then 'import only'
            when 'query' then 'query only'
            when 'edit' then 'general'
        end
    end as category,
    t.valid_from, t.valid_to, t.held_since, t.evidence, t.is_uncertain,
    case when t.granted_event_key is not null then coalesce(
        t.granted_by_user_email, lower(g.email), 'user ' || cast(t.granted_by_user_id as varchar), 'unknown'
    ) end as granted_by,
    lower(hex(cast(t.granted_event_key as blob))) as granted_event_key,
    case when t.revoked_event_key is not null then coalesce(
        t.revoked_by_user_email, lower(r.email), 'user ' || cast(t.revoked_by_user_id as varchar), 'unknown'
    ) end as revoked_by,
    lower(hex(cast(t.revoked_event_key as blob))) as revoked_event_key,
    t.snapshot_id,
    gp.page as granted_page, rp.page as revoked_page
from access_timeline_rows as t
left join last_known_users as g on g.source = t.source and g.user_id = t.granted_by_user_id
left join last_known_users as r on r.source = t.source and r.user_id = t.revoked_by_user_id
-- One row per event, so that queries without these columns skip the join.
left join (
    select
        source, event_key,
        max(read_id || ' page ' || cast(page_number as varchar) || ' record ' || cast(record_number as varchar)) as page
    from access_event_rows
    group by source, event_key
) as gp on gp.source = t.source and gp.event_key = t.granted_event_key
left join (
    select
        source, event_key,
        max(read_id || ' page ' || cast(page_number as varchar) || ' record ' || cast(record_number as varchar)) as page
    from access_event_rows
    group by source, event_key
) as rp on rp.source = t.source and rp.event_key = t.revoked_event_key;
