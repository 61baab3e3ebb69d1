-- name: read
-- What a read was, as the attached database knows it. A read of the scheduled run moved the checkpoint.
select
    r.read_id, r.run_id, r.source,
    cast(r.window_start as varchar) as window_start,
    cast(r.window_end as varchar) as window_end,
    cast(r.read_at as varchar) as read_at,
    coalesce(epoch_ms(r.window_end) - epoch_ms(r.window_start), 86400000) as window_ms,
    case when g.command = 'ingest' and r.window_start is not null
        then cast(coalesce(g.range_start, r.window_start) as varchar)
    end as checkpoint_from
from old.window_reads as r
left join old.ingest_runs as g on g.run_id = r.run_id
where r.read_id = $read_id;

-- name: incoming
-- Takes the events of a read from the attached database instead of staged files. The load classifies them again by the
-- present catalog; their keys stay. Events that another read has brought meanwhile are excluded.
create or replace temp macro incoming(files, record_bytes, of_source) as table
select
    replace(cast(o.event_key as varchar), '-', '') as record_key,
    o.event_time as "time",
    o.* exclude (
        event_key, event_time, event_date, source, window_start, run_id, first_seen_at, read_id,
        entry_id, operation_id, catalog_match
    )
from old.event_rows as o
where o.read_id = files
  and not exists (select 1 from event_rows as k where k.source = o.source and k.event_key = o.event_key);

-- name: brought
-- What a read brought that was carried over.
select
    count(*) as inserted,
    min(event_time) as first_event_time,
    max(event_time) as last_event_time
from event_rows
where read_id = $read_id;

-- name: rest
-- The rest of a read from the attached database: its records in quarantine, its row and its pages.
insert into quarantine by name
select q.*
from old.quarantine as q
where exists (
    select 1
    from old.ingest_pages as p
    where p.read_id = $read_id and p.run_id = q.run_id and p.sha256 = q.sha256 and p.page = q.page
)
  and not exists (select 1 from quarantine as k where k.quarantine_key = q.quarantine_key)
order by q.quarantine_key;

insert into window_reads by name
select r.* from old.window_reads as r where r.read_id = $read_id;

insert into ingest_pages by name
select p.* from old.ingest_pages as p where p.read_id = $read_id order by p.page;

-- name: held
-- The reads that a database holds, each with its moment as a manifest writes it.
select read_id, strftime(read_at, '%Y-%m-%d %H:%M:%S.%g') as read_at
from window_reads
where not is_mark
order by read_id;

-- name: tables
-- Tables of the attached database to copy into the new one: all that neither a migration nor the derived tables fill.
select t.table_name
from duckdb_tables() as t
where t.database_name = 'old' and t.schema_name = 'main'
  and t.table_name <> 'schema_migrations'
  and t.table_name not in (
      'job_rows', 'access_event_rows', 'permission_mark_rows', 'permission_span_rows', 'read_order_rows',
      'active_day_rows', 'sighting_rows', 'pruned_active_day_rows', 'pruned_sighting_rows',
      'id_conflict_rows', 'id_hash_rows', 'derived_versions',
      'query_text_due', 'query_table_rows', 'query_column_rows', 'timezone_offset_rows',
      'access_timeline_rows', 'policy_right_rows', 'access_due', 'access_gap_rows'
  )
  and t.table_name not like 'catalog%' and t.table_name not in ('operation_texts', 'template_lookup')
order by t.table_name;

-- name: sums
-- What prunes took of sums is known to the attached database alone. Returns how many rows that are.
delete from pruned_sighting_rows;

delete from pruned_active_day_rows;

insert into pruned_sighting_rows by name
from old.pruned_sighting_rows;

insert into pruned_active_day_rows by name
from old.pruned_active_day_rows;

select (select count(*) from pruned_sighting_rows) + (select count(*) from pruned_active_day_rows) as carried;

-- name: texts
-- What texts touch follows from them alone and is known by their hashes; to parse all of a history takes long.
insert into query_text_rows by name
from old.query_text_rows;

-- name: has_findings
-- A database that no run of this version has opened yet has none.
select count(*) > 0 as has_findings
from duckdb_tables() as t
where t.database_name = 'old' and t.schema_name = 'main' and t.table_name = 'finding_rows';

-- name: findings
-- When findings were raised and sent, and the hits of a time whose events a prune took; the others are evaluated again.
insert into finding_rows by name
from old.finding_rows;

insert into finding_events by name
from old.finding_events;

insert into detection_runs by name
from old.detection_runs;

insert into detection_hits by name
select h.*
from old.detection_hits as h
where h.hit_time < (select max(p.before_time) from old.prunes as p where p.with_events);
