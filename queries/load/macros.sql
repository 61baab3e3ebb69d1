-- The moment of an ISO 8601 time, extended or basic; without a zone it is UTC. A leap second is the second after it, as
-- for epoch seconds. A cast to `timestamp` would ignore the zone. The parts are bound once: an argument of a macro is
-- written out wherever the macro names it.
create or replace temp macro iso_moment(text) as
list_transform(
    [regexp_extract(
        text,
        '^([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[Tt ]([0-9]{2})(?::?([0-9]{2})(?::?([0-9]{2})(?:[.,]([0-9]+))?)?)? ?([Zz]|UTC|GMT|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?)?(?: [A-Z]{3,5}|\[[A-Za-z0-9_/+-]+\])?)?$',
        ['year', 'month', 'day', 'hour', 'minute', 'second', 'fraction', 'zone']
    )],
    lambda parts: timezone('UTC', try_cast(
        parts.year || '-' || parts.month || '-' || parts.day
        || ' ' || case when parts.hour = '' then '00' else parts.hour end
        || ':' || case when parts.minute = '' then '00' else parts.minute end
        || ':' || case parts.second when '' then '00' when '60' then '59' else parts.second end
        || '.' || parts.fraction || '0'
        || case when parts.zone in ('', 'Z', 'z', 'UTC', 'GMT') then '+00' else parts.zone end
        as timestamptz
    )) + to_seconds(case when parts.second = '60' then 1 else 0 end)
)[1];

-- The moment of a time as RFC 1123 has it: `Thu, 01 Jan 2026 00:00:00 GMT`, with an offset, without the day of the week.
create or replace temp macro rfc_moment(text) as
list_transform(
    [regexp_extract(
        text,
        '(?i)^(?:(?:mon|tue|wed|thu|fri|sat|sun), )?([0-9]{1,2} [a-z]{3} [0-9]{4} [0-9]{2}:[0-9]{2}:)([0-9]{2}) (gmt|utc|ut|z|[+-](?:[01][0-9]|2[0-3])[0-5][0-9])$',
        ['minute', 'second', 'zone']
    )],
    lambda parts: timezone('UTC', try_strptime(
        parts.minute
        || case parts.second when '60' then '59' else parts.second end
        || case when strlen(parts.zone) = 5 then parts.zone else '+0000' end,
        '%d %b %Y %H:%M:%S%z'
    )) + to_seconds(case when parts.second = '60' then 1 else 0 end)
)[1];

-- Microseconds of an epoch time by the digits before its point, which no number overflows: seconds, milli-, micro- or
-- nanoseconds. What is below a microsecond is cut off, so that each unit gives the same second.
create or replace temp macro epoch_micros(whole, fraction) as
case
    when strlen(whole) <= 11
    then cast(whole as bigint) * 1000000 + cast(left(fraction || '000000', 6) as bigint)
    when strlen(whole) <= 14
    then cast(whole as bigint) * 1000 + cast(left(fraction || '000', 3) as bigint)
    when strlen(whole) <= 17 then cast(whole as bigint)
    else try_cast(whole as bigint) // 1000
end;

-- Epoch time, whole, with a fraction or with an exponent; ISO 8601; RFC 1123. Negative numbers lie before 1970 and fit
-- nowhere.
create or replace temp macro to_moment(text) as
case
    when text is null then null
    when cast(try_cast(text as bigint) as varchar) = text then make_timestamp(epoch_micros(text, ''))
    when regexp_full_match(text, '(0|[1-9][0-9]{0,18})[.][0-9]+')
    then make_timestamp(epoch_micros(split_part(text, '.', 1), split_part(text, '.', 2)))
    when regexp_full_match(text, '[1-9]([.][0-9]+)?[eE][+]?[01]?[0-9]')
    then make_timestamp(epoch_micros(
        split_part(cast(cast(text as decimal(38, 9)) as varchar), '.', 1),
        split_part(cast(cast(text as decimal(38, 9)) as varchar), '.', 2)
    ))
    when regexp_matches(text, '^[0-9]{4}') then iso_moment(text)
    else rfc_moment(text)
end;

create or replace temp macro fits_moment(moment) as
moment between timestamp '1970-01-01' and timestamp '2200-01-01';

-- A whole number: as such, with a fraction of zero or with an exponent, as some encoders write it. Where nothing says
-- that it is a number, as in CSV, it comes as it was written. Fifteen digits are exact.
create or replace temp macro to_whole(text) as
case
    when cast(try_cast(text as bigint) as varchar) = text then cast(text as bigint)
    when regexp_full_match(text, '-?(0|[1-9][0-9]{0,14})([.][0-9]{1,15}|([.][0-9]{1,15})?[eE][+-]?[0-9]{1,2})')
        and abs(try_cast(text as double)) < 1e15
        and trunc(try_cast(text as double)) = try_cast(text as double)
    then cast(try_cast(text as double) as bigint)
end;

-- The bare word that some writers give for null: no person and no address has that name.
create or replace temp macro is_bare_null(text) as coalesce(upper(text) = 'NULL', false);

-- The text fields of a record as they stand in its key, each value between chr(31) and chr(30). A whole number has no
-- fraction, an empty object or array is no value. Nearly all texts pass unchanged.
create or replace temp macro plain_texts(texts) as
case
    -- The mark at the end is looked for last: the one at the beginning stands everywhere.
    when contains(texts, '.0' || chr(30)) or contains(texts, '[]' || chr(30)) or contains(texts, '{}' || chr(30))
    then regexp_replace(
        regexp_replace(texts, '\x1f(-?[0-9]{1,15})[.]0\x1e', chr(31) || '\1' || chr(30), 'g'),
        '\x1f(\[\]|\{\})\x1e', chr(31) || chr(30), 'g'
    )
    else texts
end;

-- What the key of an event leaves out of its row: the unknown members of a record in one order, without empty ones. Two
-- records of one key that differ here are different contents.
create or replace temp macro content_text(extra) as
coalesce(list_aggregate(
    list_transform(
        list_sort(list_filter(
            map_entries(json_transform(extra, '"MAP(VARCHAR,VARCHAR)"')),
            lambda e: coalesce(e.value, '') not in ('', '[]', '{}')
        )),
        lambda e: strlen(e.key) || ':' || e.key || strlen(e.value) || ':' || e.value
    ),
    'string_agg', ''
), '');

-- The key of the n-th among events of one key.
create or replace temp macro key_of_equal(first_key, ordinal) as
case
    when ordinal = 1 then first_key
    else cast(md5(cast(first_key as varchar) || '#' || ordinal) as uuid)
end;
