-- Keeps records that cannot be read, each once however often it is read again.
insert into quarantine (
    quarantine_key, source, run_id, sha256, page, reason, record_text, first_seen_at
)
with
numbered as (
    select
        page, sha256, reason, record_text,
        md5($source || chr(30) || record_text || chr(30)
            || row_number() over (partition by record_text order by page)) as quarantine_key
    from rejects
)
select
    n.quarantine_key, $source as source, $run_id as run_id, n.sha256, n.page, n.reason, n.record_text,
    $seen_at::timestamp as first_seen_at
from numbered as n
where not exists (select 1 from quarantine as q where q.quarantine_key = n.quarantine_key)
order by n.page, n.quarantine_key;
