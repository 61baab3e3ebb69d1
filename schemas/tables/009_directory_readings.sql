-- One row per reading of the user directory, with its outcome: 'whole' (accepted), 'loss' (new and changed users
-- accepted, missing users stay active), 'empty' and 'faulty' (rejected).
create table directory_readings (
    source varchar not null,
    read_at timestamp not null,
    verdict varchar not null,
    -- Users on the list, and users in force before it was read.
    listed bigint not null,
    in_force bigint not null,
    -- What stood against a faulty one, by the names of sources.<name>.users.ignore_signs.
    against varchar
);

-- Active users missing from a reading; they stay until another one agrees.
create table directory_losses (
    source varchar not null,
    user_id bigint not null,
    missing_since timestamp not null
);

-- Lists of earlier versions are in the history already.
insert into directory_readings (source, read_at, verdict, listed, in_force, against)
select
    source, max(greatest(valid_from, coalesce(valid_to, valid_from))) as read_at, 'whole' as verdict,
    count(*) filter (where valid_to is null) as listed,
    count(*) filter (where valid_to is null) as in_force,
    null as against
from user_history
group by source;
