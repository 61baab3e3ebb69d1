-- Forgets the texts that no job runs any more.
delete from query_text_rows
where text_hash not in (select j.text_hash from job_rows as j where j.text_hash is not null);
