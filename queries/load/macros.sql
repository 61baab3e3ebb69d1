-- The moment that an ISO 8601 time names; without a zone it is UTC. A cast to `timestamp` would pass over the
-- zone. The parts are bound once: what a macro is given is written out wherever the macro names it.
create or replace temp macro iso_moment(text) as
list_transform(
    [regexp_extract(
        text,
        '^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt ]([0-9]{2}:[0-9]{2})(:[0-9]{2}(?:[.][0-9]+)?)? ?([Zz]|UTC|[+-][0-2][0-9](?::?[0-5][0-9])?)?)?$',
        ['day', 'minutes', 'seconds', 'zone']
    )],
    lambda parts: timezone('UTC', try_cast(
        parts.day || ' '
        || case when parts.minutes = '' then '00:00' else parts.minutes end
        || case when parts.seconds = '' then ':00' else parts.seconds end
        || case when parts.zone in ('', 'Z', 'z', 'UTC') then '+00' else parts.zone end
        as timestamptz
    ))
)[1];

-- Epoch seconds or milliseconds, each with or without a fraction, or ISO 8601. Seconds and milliseconds differ by their
-- digits, which no number overflows; negative ones lie before 1970 and fit nowhere.
create or replace temp macro to_moment(text) as
case
    when text is null then null
    when cast(try_cast(text as bigint) as varchar) = text
    then case
        when strlen(text) <= 11 then make_timestamp(cast(text as bigint) * 1000000)
        when strlen(text) <= 14 then make_timestamp(cast(text as bigint) * 1000)
    end
    when regexp_full_match(text, '[0-9]{1,11}[.][0-9]+')
    then make_timestamp(cast(round(cast(text as double) * 1000000) as bigint))
    when regexp_full_match(text, '[0-9]{12,14}[.][0-9]+')
    then make_timestamp(cast(round(cast(text as double) * 1000) as bigint))
    else iso_moment(text)
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

-- The unknown members of a record in one order, empty ones left out: two records of one key that differ here are
-- different contents.
create or replace temp macro others_text(others) as
list_aggregate(
    list_transform(
        list_sort(list_filter(
            map_entries(json_transform(others, '"MAP(VARCHAR,VARCHAR)"')),
            lambda e: coalesce(e.value, '') not in ('', '[]', '{}')
        )),
        lambda e: strlen(e.key) || ':' || e.key || strlen(e.value) || ':' || e.value
    ),
    'string_agg', ''
);

-- What the key of an event leaves out of its row.
create or replace temp macro content_text(event) as coalesce(others_text(event.extra), '');

-- The key of the n-th among events of one key.
create or replace temp macro key_of_equal(first_key, ordinal) as
case
    when ordinal = 1 then first_key
    else cast(md5(cast(first_key as varchar) || '#' || ordinal) as uuid)
end;
