import { quoteName } from "../quote.ts";
import type { FieldsSource } from "../source.ts";

/** The fields in the key of an event, each with its type (schemas/identity.json). */
export type IdentityFields = Readonly<Record<string, FieldsSource["fields"][string]["type"]>>;

// Every value is between these two marks, as in the texts that staging gives.
const opens = "chr(31)";
const closes = "chr(30)";

/**
 * The part of a key's text that has the text fields, as SQL. It reads typed columns and, where a value did not fit,
 * their `text_` columns. It is to be a column of its own: what is made of it names it several times.
 */
export function writeOwnTextsSql(identity: IdentityFields): string {
  const [texts, typed] = splitFields(identity);
  const values = [...texts.map(quoteName), ...typed.map(writeContainer)];
  return `concat(${opens}, ${values.join(`, ${closes} || ${opens}, `)}, ${closes})`;
}

/**
 * The text that the key of a record is the hash of, as SQL. It has the source, the text fields, then numbers, booleans
 * and moments as values. `given` names the column with the text fields as staging has them for records that take a
 * parser, null for others. `own` names the one for these.
 */
export function writeKeySql(
  identity: IdentityFields,
  source: string,
  given: string,
  own: string,
): string {
  const [, typed] = splitFields(identity);
  const rest = typed.map(
    (name) => `coalesce(${writeValueSql(identity, name)}, ${writeScalar(name)}, '')`,
  );
  return `concat(${source}, ${opens}, coalesce(${given}, plain_texts(${own})), ${rest.join(`, ${closes}, `)})`;
}

/** The names of the text fields and those of all others, in the order that they have in a key. */
export function splitFields(
  fields: Readonly<Record<string, string>>,
): [texts: string[], typed: string[]] {
  const names = Object.keys(fields).sort();
  const isText = (name: string): boolean => fields[name] === "text";
  return [names.filter(isText), names.filter((name) => !isText(name))];
}

function writeValueSql(identity: IdentityFields, name: string): string {
  // Moments are cut to the second: services differ in what they give below it.
  const value =
    identity[name] === "time" ? `epoch_us(${quoteName(name)}) // 1000000` : quoteName(name);
  return `cast(${value} as varchar)`;
}

// A value that did not fit its type counts as its text; objects and arrays are among the texts.
function writeContainer(name: string): string {
  return `case when ${quoteName(name)} is null and left(text_${name}, 1) in ('{', '[') then text_${name} end`;
}

function writeScalar(name: string): string {
  return `case when ${quoteName(name)} is null and left(text_${name}, 1) not in ('{', '[') then text_${name} end`;
}
