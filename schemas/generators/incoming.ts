import type { FieldsSource } from "../source.ts";

type Fields = FieldsSource["fields"];
type FieldType = Fields[string]["type"];

/** Members that staging adds to a record: its fingerprint where it needs care, its unknown members. */
const stagedFingerprint = "auditlake:fingerprint";
const stagedOthers = "auditlake:others";

// The table macro has one line per record field, so it is generated: the landed records of some files as
// typed columns, with their fingerprint, with what does not fit (`misfits`) and with the unknown (`others`).

/** The macros that the load statements in `queries/load` read through, as SQL. */
export function toIncomingSql(fields: Fields, baseline: readonly string[]): string {
  const names = Object.keys(fields).sort();
  const promoted = names.filter((name) => !baseline.includes(name));
  return [
    "-- Generated from schemas/fields.json by `make generate`; do not edit.",
    momentMacro,
    "create or replace temp macro incoming(files, record_bytes) as table",
    "with",
    "texts as (",
    "    select",
    "        filename,",
    ...names.map((name) => `        ${column(name)},`),
    `        "${stagedFingerprint}" as given_fingerprint,`,
    `        "${stagedOthers}" as others`,
    "    from read_json(",
    "        files, format = 'newline_delimited', ignore_errors = true, filename = true,",
    "        maximum_object_size = record_bytes,",
    `        columns = {${[...names, stagedFingerprint, stagedOthers].map((name) => `${quote(name)}: 'VARCHAR'`).join(", ")}}`,
    "    )",
    "),",
    "typed as (",
    "    select",
    "        filename, given_fingerprint, others,",
    ...typedLines(fields, names),
    `        concat(${baseline.map(column).join(", chr(30), ")}) as baseline_text`,
    "    from texts",
    ")",
    "select",
    "    filename,",
    "    coalesce(given_fingerprint, md5(baseline_text || coalesce(others_text(others), ''))) as fingerprint,",
    "    case",
    `        when ${typedNames(fields)
      .map((name) => `misfit_${name}`)
      .join("\n            or ")}`,
    "        then json_merge_patch(coalesce(others, '{}'), json_object(",
    typedNames(fields)
      .map((name) => `            '${name}', case when misfit_${name} then text_${name} end`)
      .join(",\n"),
    "        ))",
    promoted.length > 0
      ? `        else nullif(json_merge_patch(others, '${nulls(promoted)}'), '{}')`
      : "        else others",
    "    end as extra,",
    ...names.map((name, i) => `    ${column(name)}${i + 1 < names.length ? "," : ""}`),
    "from typed;",
    "",
  ].join("\n");
}

// Epoch seconds, epoch milliseconds, seconds with a fraction, or ISO 8601; without a zone it is UTC.
const momentMacro = `
create or replace temp macro to_moment(text) as
case
    when try_cast(text as bigint) between -99999999999 and 99999999999 and not contains(text, '.')
    then make_timestamp(cast(text as bigint) * 1000000)
    when try_cast(text as bigint) between 100000000000 and 99999999999999 then make_timestamp(cast(text as bigint) * 1000)
    when regexp_full_match(text, '[0-9]{1,11}[.][0-9]+')
    then make_timestamp(cast(round(cast(text as double) * 1000000) as bigint))
    else try_cast(regexp_replace(text, ' ?UTC$', 'Z') as timestamp)
end;

create or replace temp macro fits_moment(moment) as
moment between timestamp '1970-01-01' and timestamp '2200-01-01';

create or replace temp macro others_text(others) as
list_aggregate(
    list_transform(
        list_sort(list_filter(
            map_entries(json_transform(others, '"MAP(VARCHAR,VARCHAR)"')),
            lambda e: coalesce(e.value, '') <> ''
        )),
        lambda e: chr(30) || strlen(e.key) || ':' || e.key || strlen(e.value) || ':' || e.value
    ),
    'string_agg', ''
);
`;

function typedNames(fields: Fields): string[] {
  return Object.keys(fields)
    .filter((name) => fields[name]!.type !== "text" && name !== "time")
    .sort();
}

function typedLines(fields: Fields, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const type = fields[name]!.type;
    if (type === "text") return [`        ${column(name)},`];
    const value = casts[type](column(name));
    const lines = [
      `        ${value} as ${column(name)},`,
      `        ${column(name)} as text_${name},`,
    ];
    return name === "time"
      ? lines
      : [
          ...lines,
          `        nullif(${column(name)}, '') is not null and (${value}) is null as misfit_${name},`,
        ];
  });
}

const casts: Readonly<Record<Exclude<FieldType, "text">, (text: string) => string>> = {
  integer: (text) =>
    `case when cast(try_cast(${text} as bigint) as varchar) = ${text} then try_cast(${text} as bigint) end`,
  number: (text) =>
    `case when isfinite(try_cast(${text} as double)) then try_cast(${text} as double) end`,
  boolean: (text) => `case when ${text} in ('true', 'false') then try_cast(${text} as boolean) end`,
  time: (text) => `case when fits_moment(to_moment(${text})) then to_moment(${text}) end`,
};

function column(name: string): string {
  return `"${name}"`;
}

function quote(name: string): string {
  return `'${name}'`;
}

function structure(names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, "VARCHAR"])));
}

function nulls(names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, null])));
}
