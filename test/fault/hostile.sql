-- Statements that try to harm the published file, the machine or the process that asks. One per block:
-- a line `-- case: <title> => <end>`, then the statement. The ends:
--   refused   the gate does not run it
--   rejected  the database does not accept it, or fails on the way
--   stopped   time or memory ends it
--   answered  it is allowed, and must be harmless
--   survived  any of these: what counts is that nothing is changed
-- A report may spill, so that its process reaches the files it has open: `, as a report <end>` where that differs.
-- {db} is the published file, {dir} its folder, {secret} a file beside it; {repeat:N:text} is text N times.

-- case: insert => refused
insert into event_rows select * from event_rows
-- case: insert with returning => refused
insert into checkpoints values ('x', now(), 'r', now()) returning *
-- case: update => refused
update event_rows set user_email = 'nobody@example.com'
-- case: delete => refused
delete from event_rows
-- case: delete of everything, one letter of case apart => refused
DeLeTe FrOm event_rows where true
-- case: truncate => refused
truncate event_rows
-- case: merge => refused
merge into event_rows as t using event_rows as s on t.event_key = s.event_key when matched then delete
-- case: upsert => refused
insert or replace into checkpoints values ('x', now(), 'r', now())
-- case: drop table => refused
drop table event_rows
-- case: drop view => refused
drop view events
-- case: drop schema with all in it => refused
drop schema main cascade
-- case: alter table => refused
alter table event_rows add column planted integer
-- case: rename => refused
alter table event_rows rename to gone
-- case: comment on => refused
comment on table event_rows is 'planted'
-- case: create table => refused
create table planted (i integer)
-- case: create table as => refused
create table planted as select * from event_rows
-- case: create or replace view => refused
create or replace view events as select 1 as event_key
-- case: create temporary table that shadows a view => refused
create temp table events as select 1 as event_key
-- case: create temporary view => refused
create temp view denials as select 1 as event_key
-- case: create macro => refused
create macro now() as timestamp '1970-01-01'
-- case: create temporary macro => refused
create temp macro lower(x) as x
-- case: create table macro => rejected
create macro peek() as table select * from read_text('/etc/passwd')
-- case: create sequence => refused
create temp sequence planted
-- case: create type => refused
create type planted as enum ('a')
-- case: create index => refused
create index planted on event_rows (event_key)
-- case: create schema => refused
create schema planted
-- case: create secret => survived
create secret planted (type s3, key_id 'a', secret 'b')
-- case: create persistent secret => survived
create persistent secret planted (type http, bearer_token 'b')
-- case: drop secret => refused
drop secret if exists planted

-- case: copy over the open database file => rejected, as a report refused
copy (select 'x') to '{db}' (use_tmp_file false)
-- case: copy over the open database file as csv => rejected, as a report refused
copy (select 'x') to '{db}' (format csv, header false, use_tmp_file false)
-- case: forge a write-ahead log => rejected, as a report refused
copy (select '\xDE\xAD'::blob) to '{db}.wal' (format blob, use_tmp_file false)
-- case: forge the recovery log => rejected, as a report refused
copy (select 'x'::blob) to '{db}.wal.recovery' (format blob, use_tmp_file false)
-- case: forge the checkpoint log => rejected, as a report refused
copy (select 'x'::blob) to '{db}.wal.checkpoint' (format blob, use_tmp_file false)
-- case: copy into the temporary folder of the database => rejected
copy (select 1) to '{db}.tmp/planted.csv'
-- case: copy beside the database file => rejected
copy (select * from events) to '{dir}/stolen.csv'
-- case: copy as parquet => rejected
copy (select * from events) to '{dir}/stolen.parquet' (format parquet)
-- case: copy as json => rejected
copy (select * from events) to '{dir}/stolen.json' (format json)
-- case: copy partitioned => rejected
copy (select 1 as a, 2 as b) to '{dir}/parts' (format parquet, partition_by (a))
-- case: copy per thread => rejected
copy (select 1 as a) to '{dir}/threads' (per_thread_output)
-- case: copy a table => rejected
copy event_rows to '{dir}/stolen.csv'
-- case: copy to stdout => rejected
copy (select 1) to '/dev/stdout'
-- case: copy to the descriptor of the answer => rejected
copy (select '[["forged"]]') to '/dev/fd/3' (format csv, header false, quote '', use_tmp_file false)
-- case: copy to a descriptor through proc => rejected
copy (select 'x') to '/proc/self/fd/3' (use_tmp_file false)
-- case: copy to a relative path => rejected
copy (select 1) to 'planted.csv'
-- case: copy to a file url => rejected
copy (select 1) to 'file://{dir}/planted.csv'
-- case: copy from a file => rejected
copy checkpoints from '{secret}'
-- case: copy between databases => refused
copy from database audit to audit
-- case: copy with a statement inside => rejected
copy (delete from event_rows returning *) to '{dir}/planted.csv'
-- case: export database => rejected
export database '{dir}/export'
-- case: import database => rejected
import database '{dir}'

-- case: explain analyze of a copy over the database file => rejected, as a report refused
explain analyze copy (select 'x') to '{db}' (use_tmp_file false)
-- case: explain analyze of a delete => refused
explain analyze delete from event_rows
-- case: explain analyze of a select => refused
explain analyze select 1
-- case: explain => refused
explain select 1
-- case: explain with options => refused
explain (analyze, format json) select 1
-- case: explain in another case, behind comments => refused
/* a */ ExPlAiN -- b
AnAlYzE select 1

-- case: two statements => refused
select 1; drop table event_rows
-- case: the harmful one first => refused
drop table event_rows; select 1
-- case: behind an empty statement => refused
;; select 1; delete from event_rows
-- case: many statements => refused
{repeat:500:select 1; }
-- case: two statements without a space => refused
select 1;delete from event_rows;
-- case: a string that looks like an end => answered
select '; drop table event_rows; --' as harmless
-- case: a comment that hides the second => answered
select 1 -- ; drop table event_rows
-- case: nested comment => survived
select 1 /* /* */ ; drop table event_rows /* */ */
-- case: dollar quotes => answered
select $$ ; drop table event_rows $$ as harmless
-- case: escape string => survived
select e'\'; drop table event_rows; --' as harmless
-- case: nothing => refused

-- case: only comments => refused
-- nothing
/* here */
-- case: only semicolons => refused
;;;
-- case: unicode spaces => survived
select 1; drop table event_rows

-- case: prepare => refused
prepare p as delete from event_rows
-- case: execute => survived
execute p
-- case: deallocate => refused
deallocate p
-- case: begin => refused
begin transaction
-- case: commit => refused
commit
-- case: rollback => refused
rollback
-- case: checkpoint => refused
checkpoint
-- case: force checkpoint => refused
force checkpoint
-- case: vacuum => refused
vacuum
-- case: vacuum of a table => survived
vacuum analyze event_rows
-- case: analyze => refused
analyze
-- case: attach the same file for writing => refused
attach '{db}' as other (read_write)
-- case: attach another file => refused
attach '{dir}/planted.duckdb' as planted
-- case: attach in memory => refused
attach ':memory:' as planted
-- case: attach sqlite => refused
attach '{secret}' as planted (type sqlite)
-- case: attach with a key => refused
attach '{dir}/planted.duckdb' as planted (encryption_key 'x')
-- case: attach over http => refused
attach 'https://127.0.0.1:9/x.duckdb' as planted
-- case: detach => refused
detach audit
-- case: use => survived
use system
-- case: set search path => refused
set search_path = 'temp'
-- case: set schema => survived
set schema = 'planted'
-- case: set variable => refused
set variable x = 1
-- case: reset => refused
reset memory_limit

-- case: open external access again => refused
set enable_external_access = true
-- case: open the file system again => refused
set disabled_filesystems = ''
-- case: unlock the configuration => refused
set lock_configuration = false
-- case: more memory => refused
set memory_limit = '100GB'
-- case: more memory, global => refused
set global memory_limit = '100GB'
-- case: spill into the folder of the data => refused
set temp_directory = '{dir}/spill'
-- case: space to spill => refused
set max_temp_directory_size = '100GB'
-- case: allow a path => refused
set allowed_paths = ['{secret}']
-- case: allow a folder => refused
set allowed_directories = ['/']
-- case: unsigned extensions => refused
set allow_unsigned_extensions = true
-- case: folder of extensions => refused
set extension_directory = '{dir}'
-- case: folder of secrets => refused
set secret_directory = '{dir}'
-- case: home => refused
set home_directory = '{dir}'
-- case: log to a file => refused
set log_query_path = '{dir}/planted.log'
-- case: profile to a file => refused
set profile_output = '{dir}/planted.json'
-- case: python scan => refused
set python_enable_replacements = true
-- case: load an extension => refused
load httpfs
-- case: load a library by path => refused
load '{dir}/planted.duckdb_extension'
-- case: install => refused
install httpfs
-- case: install from a path => refused
install httpfs from '{dir}'
-- case: force install from community => refused
force install shellfs from community
-- case: update extensions => survived
update extensions

-- case: pragma that writes to stdout => refused
pragma enable_profiling
-- case: pragma that writes a file => refused
pragma profiling_output = '{dir}/planted.json'
-- case: pragma database list => answered
pragma database_list
-- case: pragma that aborts a checkpoint => survived
pragma debug_checkpoint_abort = 'before_header'
-- case: pragma that forces a checkpoint => survived
pragma force_checkpoint
-- case: pragma import => survived
pragma import_database('{dir}')
-- case: call that logs to a file => refused
call enable_logging(storage = 'file', storage_path = '{dir}/planted')
-- case: call that checkpoints => refused
call force_checkpoint()
-- case: call that profiles => survived
call pragma_database_size()

-- case: logging to a file from a select => rejected
from enable_logging(storage = 'file', storage_path = '{dir}/planted')
-- case: logging to a file, as a subquery => rejected
select * from (from enable_logging('QueryLog', storage = 'file', storage_path = '{dir}/planted'))
-- case: logging to stdout => rejected
from enable_logging(storage = 'stdout')
-- case: write to the log => survived
select write_log('[["forged"]]')
-- case: logging off => survived
from disable_logging()
-- case: truncate the log => survived
from truncate_duckdb_logs()
-- case: checkpoint from a select => survived
from checkpoint()
-- case: force checkpoint from a select => survived
from force_checkpoint('audit')

-- case: read a text file => rejected
select * from read_text('{secret}')
-- case: read a text file by relative path => rejected
select * from read_text('../../../../etc/passwd')
-- case: read parquet by its other name => rejected
select * from parquet_scan('{secret}')
-- case: read json by its other name => rejected
select * from read_json_auto('{dir}/*.json')
-- case: read newline-delimited json => rejected
select * from read_ndjson('{secret}')
-- case: read json objects, whole => rejected
select * from read_json_objects('{secret}')
-- case: several tables through their names => rejected
select * from query_table(['{secret}', '/etc/passwd'])
-- case: a table function called => rejected
call read_text('{secret}')
-- case: logs, read and hidden in a union => survived
select message from duckdb_logs union all select content from read_text('{secret}')
-- case: a file in the condition of a join => rejected
select e.event_key from events as e join '{secret}' as s on s.a = e.event_key
-- case: a view over a file, in front of the query => refused
create temp view peek as select * from read_text('{secret}'); select * from peek
-- case: a macro over a file, in front of the query => refused
create temp macro peek() as table select * from read_text('{secret}'); from peek()
-- case: read a blob => rejected
select * from read_blob('{secret}')
-- case: read the database file itself => rejected, as a report survived
select * from read_blob('{db}')
-- case: read the database file as text => rejected, as a report survived
select * from read_text('{db}')
-- case: read the environment => rejected
select * from read_blob('/proc/self/environ')
-- case: read the environment of the parent => rejected
select * from read_text('/proc/1/environ')
-- case: read csv => rejected
select * from read_csv('{secret}')
-- case: read csv, all as text => rejected
select * from read_csv_auto('/etc/passwd', all_varchar = true)
-- case: sniff csv => rejected
from sniff_csv('{secret}')
-- case: read json => rejected
select * from read_json('{secret}')
-- case: read json objects => rejected
select * from read_ndjson_objects('{secret}')
-- case: read parquet => rejected
select * from read_parquet('{secret}')
-- case: parquet metadata => rejected
select * from parquet_metadata('{secret}')
-- case: parquet schema => rejected
select * from parquet_schema('{secret}')
-- case: list files => rejected
select * from glob('{dir}/*')
-- case: list all files => rejected
select * from glob('/**')
-- case: replacement scan => rejected
select * from '{secret}'
-- case: replacement scan of a csv => rejected
select * from '{dir}/x.csv'
-- case: quoted identifier as a file => rejected
select * from "{secret}"
-- case: file through a table name => rejected
select * from query_table('{secret}')
-- case: select from text => rejected
select * from query('select * from read_text(''{secret}'')')
-- case: delete from text => rejected
select * from query('delete from event_rows')
-- case: two statements from text => rejected
select * from query('select 1; drop table event_rows')
-- case: read over http => rejected
select * from read_csv('http://127.0.0.1:9/x.csv')
-- case: read over https => rejected
select * from 'https://127.0.0.1:9/x.parquet'
-- case: read from object storage => rejected
select * from read_parquet('s3://planted/x.parquet')
-- case: pipe to a shell => rejected
select * from read_csv('| touch {dir}/planted')
-- case: read stdin => rejected
select * from read_csv('/dev/stdin')
-- case: environment variable => rejected
select getenv('PATH')
-- case: scan a python object => rejected
select * from pandas_scan(0)
-- case: scan by pointer => rejected
select * from arrow_scan(1, 2, 3)
-- case: scan a sqlite file => rejected
select * from sqlite_scan('{secret}', 'x')
-- case: read a log file => rejected
from read_duckdb_log('{secret}')
-- case: file in a lateral join => rejected
select * from (select '{secret}' as f) as t, lateral (select * from read_text(t.f))
-- case: file in a scalar subquery => rejected
select (select content from read_text('{secret}'))
-- case: file in a common table expression => rejected
with x as (select * from read_text('{secret}')) select * from x
-- case: data changed in a common table expression => rejected
with x as (delete from event_rows returning *) select * from x
-- case: data inserted in a subquery => rejected
select * from (insert into event_rows select * from event_rows returning *)
-- case: select into => rejected
select * into planted from event_rows
-- case: select for update => survived
select * from event_rows for update
-- case: locked through a set returning function => rejected
select * from pragma_set('memory_limit', '100GB')
-- case: settings with paths => answered
select name, value from duckdb_settings() order by name
-- case: databases with paths => answered
select * from duckdb_databases()
-- case: extensions => rejected
select extension_name, loaded from duckdb_extensions() order by extension_name
-- case: secrets => survived
select * from duckdb_secrets()
-- case: temporary files => survived
select * from duckdb_temporary_files()
-- case: which secret => survived
select * from which_secret('s3://x', 's3')

-- case: pivot that needs a second statement => refused
pivot events on area using count(*)
-- case: pivot with its values => answered
pivot (select area, event_key from events) on area in ('Account', 'User') using count(*)
-- case: parameters => refused, as a report rejected
select * from events where event_key = ?
-- case: named parameters => refused, as a report rejected
select * from events where event_key = $key

-- case: a text of 4 GB => rejected
select repeat('x', 4000000000)
-- case: a text of 500 MB => survived
select length(repeat('x', 500000000))
-- case: a text padded to 2 GB => survived
select lpad('x', 2000000000, 'y')
-- case: a text formatted to 2 GB => survived
select format('{:>2000000000}', 'x')
-- case: a text formatted to 2 GB, the other way => survived
select printf('%2000000000d', 1)
-- case: a list of 200 million => survived
select range(200000000)
-- case: a list of 200 million, its length => survived
select len(list_transform(range(200000000), lambda x: x || 'a'))
-- case: a result without end => stopped
select count(*) from range(1000000000000)
-- case: a recursion without end => stopped
with recursive r as (select 1 as i union all select i + 1 from r) select max(i) from r
-- case: a recursion that grows without end => survived
with recursive r as (select 'x' as t union all select t || t from r) select max(length(t)) from r
-- case: a cross join of all with all => survived
select count(*) from event_rows a, event_rows b, range(100000000) c where hash(a.event_key, b.event_key, c.range) = 1
-- case: a sort that does not fit => survived
select * from range(300000000) as t(i) order by hash(i)
-- case: groups that do not fit => survived
select i, count(*) from range(300000000) as t(i) group by i
-- case: all values collected => survived
select list(i) from range(300000000) as t(i)
-- case: all texts joined => survived
select string_agg(repeat('x', 1000), '') from range(3000000)
-- case: sleep => stopped
select sleep_ms(600000)
-- case: a bomb of factors => survived
select factorial(100000000)
-- case: a large number => survived
select 10::bignum ** 100000000
-- case: a regular expression that backtracks => survived
select regexp_matches(repeat('a', 100000), '^(a+)+$!')
-- case: a regular expression too large => rejected
select regexp_matches('a', repeat('(a{1,1000}){1,1000}', 10))
-- case: deep nesting of brackets => survived
select {repeat:5000:(}1{repeat:5000:)}
-- case: deep nesting of expressions => survived
select 1{repeat:5000: + 1}
-- case: deep nesting of subqueries => survived
{repeat:300:select * from (}select 1{repeat:300:)}
-- case: twenty thousand unions => survived
{repeat:20000:select 1 union all }select 1
-- case: a hundred thousand columns => survived
select {repeat:100000:1, }1
-- case: a deep JSON text => survived
select json_extract(repeat('[', 1000000) || repeat(']', 1000000), '$[0]')
-- case: a join order without end => survived
select count(*) from range(2) t0 {repeat:60:, range(2)}
-- case: random bytes as JSON => survived
select json_structure(repeat('{"a":', 100000) || '1' || repeat('}', 100000))
-- case: rows without end => answered
select * from range(1000000000)
-- case: wide rows without end => survived
select repeat('x', 1000000) from range(1000000)
-- case: text that looks like an end of the answer => answered
select '{"end":{"rows":0,"more":false}}' as a, chr(10) || '{"error":{"stage":"run","text":"forged"}}' as b
-- case: control and bidi characters => answered
select chr(27) || '[2J' || chr(8238) || chr(13) || chr(8) as a
-- case: half a surrogate pair => survived
select chr(55296)
-- case: a NUL in a text => answered
select chr(0) || 'x' as a
-- case: an error that quotes data => rejected
select cast(event_key as integer) from event_rows
-- case: an error with control characters => rejected
select error(chr(27) || '[2J')
