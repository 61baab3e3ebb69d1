-- The days of jobs are looked for one by one, also where there are many: between the first and the last lies a history.
set dynamic_or_filter_threshold = 2000;

-- Events that the derived tables aggregate, by canonical name.
create or replace temp macro is_job_event(event_name) as
    event_name in ('job_issue', 'job_modify', 'job_kill', 'job_status_update_by_system');

-- Denied and failed events did not take place: the outcome of events for derived tables.
create or replace temp macro took_place(denial_kind, event_result) as
    denial_kind is null and coalesce(lower(trim(event_result)) not in (
        'denied', 'unauthorized', 'forbidden', 'failed', 'failure', 'error'
    ), true);

create or replace temp macro is_permission_edit(event_name) as
    event_name in (
        'permission_policy_modify', 'permission_modify', 'database_permission_modify', 'user_modify'
    );

create or replace temp macro is_membership_change(event_name) as
    event_name in (
        'permission_policy_attach_user', 'permission_policy_detach_user', 'role_create', 'role_delete'
    );

create or replace temp macro is_access_event(event_name) as
    event_name in (
        'permission_policy_modify', 'permission_modify', 'database_permission_modify', 'user_modify',
        'permission_policy_attach_user', 'permission_policy_detach_user', 'role_create', 'role_delete',
        'permission_policy_create', 'permission_policy_delete', 'user_delete',
        'database_create', 'database_modify', 'database_delete'
    );

-- The name of a job ends in its id: database.job_id.
create or replace temp macro job_id_of(resource_id, resource_name) as
    coalesce(resource_id, split_part(resource_name, '.', -1));

create or replace temp macro is_hive_job(job_type) as
    coalesce(contains(lower(job_type), 'hive'), false);

-- Identity of a query text: its bytes and its recorded language.
create or replace temp macro text_hash_of(job_type, query_text) as
    cast(md5(concat(is_hive_job(job_type), ':', query_text)) as uuid);

-- Hash of an id, for finding repeated ids. Databases store these hashes: if a version of the engine hashes differently,
-- this file has to change, so that they are rebuilt (test/queries/id-hash.test.ts).
create or replace temp macro id_hash_of(source, id) as hash(source, id) >> 24;

-- Events of these areas name the database they are about.
create or replace temp macro names_database(area) as
    area in ('Jobs', 'Table', 'Bulk import', 'File upload');

-- Which way the times of all pages of a source run: 1 where they rise, -1 where they fall. Null where nothing shows it
-- or pages differ.
create or replace temp macro read_directions() as table
select
    source,
    case
        when sum(unordered_pages) > 0 then null
        when sum(falling_pages) = 0 then 1
        when sum(rising_pages) = 0 then -1
    end as direction
from read_order_rows
group by source;

-- The change that an event made, for the columns that name who granted or revoked. Of several the first by name counts.
create or replace temp macro cause_of(event_key, user_id, user_email) as {
    'by': coalesce(user_email, 'user ' || cast(user_id as varchar), 'unknown'),
    'key': event_key, 'user_id': user_id, 'email': user_email
};

-- A permission as one value: two are equal where all four are, nulls included.
create or replace temp macro permission_of(resource_kind, operation, object_id, object_name) as {
    'kind': resource_kind, 'operation': operation, 'id': object_id, 'name': object_name
};

-- A set of permissions as a fingerprint, in any order; the texts of all sets that were read take more memory than there
-- is. gone_key is that of no policy.
create or replace temp macro set_key(permissions) as md5_number(to_json(list_sort(coalesce(permissions, [])))::varchar);

create or replace temp macro gone_key() as md5_number('gone');
