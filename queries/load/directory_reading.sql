insert into directory_readings (source, read_at, verdict, listed, in_force, against)
select
    $source as source, $read_at::timestamp as read_at, $verdict as verdict,
    $listed::bigint as listed, $in_force::bigint as in_force, $against::varchar as against;
