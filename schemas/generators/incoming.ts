import { quoteName, quoteText } from "../quote.ts";
import type { FieldsSource } from "../source.ts";
import { type IdentityFields, writeKeySql, writeOwnTextsSql } from "./key.ts";

/** Exceeds the records of any page: a record is numbered by its page times this, plus its place there. */
export const pageStep = 1_000_000_000;

type Fields = FieldsSource["fields"];
type FieldType = Fields[string]["type"];

// Members that staging adds to a record. They are its page and place, what names it where that is not `id`, canonical
// texts that take a parser, and the members that the catalog does not know.
const stagedNumber = "auditlake:number";
const stagedId = "auditlake:id";
const stagedTexts = "auditlake:texts";
const stagedOthers = "auditlake:others";
const ownId = `coalesce("${stagedId}", id) as id`;
// What the macro is given has names that no key has, else it would stand wherever the key is named.
const files = "auditlake:files";
const recordBytes = "auditlake:record_bytes";
const source = "auditlake:source";

// Text fields in which the bare word NULL is no value.
const peopleAndAddresses = ["affected_user", "ip_address", "revision_created_user", "user_email"];

/**
 * The table macro that the load reads staged files through, as SQL. It has a line per record field, so it is made from
 * the catalog's fields. It gives the records as typed columns with their key. What does not fit its type and what the
 * catalog does not know is in `extra`.
 */
export function toIncomingSql(fields: Fields, identity: IdentityFields): string {
  const names = Object.keys(fields).sort();
  const columns = [
    `${quoteText(stagedNumber)}: 'BIGINT'`,
    ...[...names, stagedId, stagedTexts, stagedOthers].map(
      (name) => `${quoteText(name)}: 'VARCHAR'`,
    ),
  ];
  // A field that became a column is in `others`, too: staging sets apart what is not in the key.
  const promoted = names.filter((name) => !(name in identity));
  // The word stays in `extra`, where it can be counted.
  const nullable = names.filter((name) => peopleAndAddresses.includes(name));
  const readGiven = (name: string): string =>
    nullable.includes(name)
      ? `case when not is_bare_null(${name}) then ${name} end as ${name}`
      : quoteName(name);
  const extra =
    promoted.length > 0
      ? `nullif(json_merge_patch(others, '${writeNulls(promoted)}'), '{}')`
      : "others";
  return [
    `create or replace temp macro incoming(${[files, recordBytes, source].map(quoteName).join(", ")}) as table`,
    "with",
    "texts as (",
    "    select",
    `        cast("${stagedNumber}" // ${pageStep} as integer) as page_number,`,
    `        cast("${stagedNumber}" % ${pageStep} as integer) as record_number,`,
    ...names.map((name) => `        ${name === "id" ? ownId : quoteName(name)},`),
    // What a cast gives is looked at before it is taken; here it is computed, once.
    ...writeTriedLines(fields, names),
    `        "${stagedTexts}" as given_texts,`,
    `        "${stagedOthers}" as others`,
    "    from read_json(",
    `        ${quoteName(files)}, format = 'newline_delimited', ignore_errors = true,`,
    `        hive_partitioning = false, maximum_object_size = ${quoteName(recordBytes)},`,
    `        columns = {${columns.join(", ")}}`,
    "    )",
    "),",
    "typed as (",
    "    select",
    "        page_number, record_number, given_texts, others,",
    writeTypedLines(fields, names).join(",\n"),
    "    from texts",
    "),",
    "keyed as (",
    `    select *, ${writeOwnTextsSql(identity)} as own_texts`,
    "    from typed",
    ")",
    "select",
    "    page_number, record_number,",
    `    md5(${writeKeySql(identity, quoteName(source), "given_texts", "own_texts")}) as record_key,`,
    ...writeExtraLines(fields, nullable, extra),
    ...names.map((name, i) => `    ${readGiven(name)}${i + 1 < names.length ? "," : ""}`),
    "from keyed",
  ].join("\n");
}

// What the catalog does not know, and what is recorded and did not become a value.
function writeExtraLines(fields: Fields, nullable: readonly string[], extra: string): string[] {
  const typed = listTypedNames(fields);
  const bare = nullable.map((name) => `is_bare_null(${name})`);
  const members = [
    ...typed.map(
      (name) => `            '${name}', case when ${writeMisfit(name)} then text_${name} end`,
    ),
    ...nullable.map(
      (name) => `            '${name}', case when is_bare_null(${name}) then ${name} end`,
    ),
  ];
  return [
    "    case",
    `        when ${[...typed.map(writeMisfit), ...bare].join("\n            or ")}`,
    `        then json_merge_patch(coalesce(${extra}, '{}'), json_object(`,
    members.join(",\n"),
    "        ))",
    `        else ${extra}`,
    "    end as extra,",
  ];
}

function listTypedNames(fields: Fields): string[] {
  return Object.keys(fields)
    .filter((name) => fields[name]!.type !== "text" && name !== "time")
    .sort();
}

function writeTypedLines(fields: Fields, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const type = fields[name]!.type;
    if (type === "text") return [`        ${quoteName(name)}`];
    return [
      `        case when ${fits[type](`tried_${name}`, quoteName(name))} then tried_${name} end as ${quoteName(name)}`,
      `        ${quoteName(name)} as text_${name}`,
    ];
  });
}

// A text that is there while the typed value is not: it did not fit.
function writeMisfit(name: string): string {
  return `(text_${name} <> '' and ${quoteName(name)} is null)`;
}

type CastType = Exclude<FieldType, "text">;

function writeTriedLines(fields: Fields, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const { type } = fields[name]!;
    return type === "text" ? [] : [`        ${tries[type](quoteName(name))} as tried_${name},`];
  });
}

const tries: Readonly<Record<CastType, (text: string) => string>> = {
  integer: (text) => `to_whole(${text})`,
  number: (text) => `try_cast(${text} as double)`,
  boolean: (text) => `try_cast(${text} as boolean)`,
  time: (text) => `to_moment(${text})`,
};

// A cast of text takes more than a field should hold, such as 1_000 or yes.
const fits: Readonly<Record<CastType, (tried: string, text: string) => string>> = {
  integer: (tried) => `${tried} is not null`,
  number: (tried) => `isfinite(${tried})`,
  boolean: (_tried, text) => `lower(${text}) in ('true', 'false')`,
  time: (tried) => `fits_moment(${tried})`,
};

function writeNulls(names: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, null])));
}
