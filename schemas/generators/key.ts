import type { IdentityFields } from "./incoming.ts";

// Every value stands between these two marks, as in the texts that staging gives.
const opens = "chr(31)";
const closes = "chr(30)";

/**
 * The text that the key of a record is the hash of, as SQL over typed columns and, where a value did not fit, their
 * `text_` columns: the source, the text fields, then numbers, booleans and moments as values. `given` names the
 * column with the first part as staging has it for records that take a parser, null for others.
 */
export function keySql(identity: IdentityFields, source: string, given: string): string {
  const names = Object.keys(identity).sort();
  const [texts, typed] = [
    names.filter((name) => identity[name] === "text"),
    names.filter((name) => identity[name] !== "text"),
  ];
  const values = [...texts.map(bare), ...typed.map(container)];
  const own = `concat(${values.map((value) => `${opens}, ${value}, ${closes}`).join(", ")})`;
  const rest = typed.map((name) => `coalesce(${valueSql(identity, name)}, ${scalar(name)}, '')`);
  return `concat(${source}, ${opens}, coalesce(${given}, plain_texts(${own})), ${rest.join(`, ${closes}, `)})`;
}

function valueSql(identity: IdentityFields, name: string): string {
  // Moments are cut to the second: services differ in what they give below it.
  const value = identity[name] === "time" ? `epoch_us(${bare(name)}) // 1000000` : bare(name);
  return `cast(${value} as varchar)`;
}

// What did not fit its type counts as its text; objects and arrays stand with the texts.
function container(name: string): string {
  return `case when ${bare(name)} is null and left(text_${name}, 1) in ('{', '[') then text_${name} end`;
}

function scalar(name: string): string {
  return `case when ${bare(name)} is null and left(text_${name}, 1) not in ('{', '[') then text_${name} end`;
}

function bare(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
