const forms: Readonly<Record<string, string>> = {
  HUGEINT: "DECIMAL(38,0)",
  UHUGEINT: "DECIMAL(38,0)",
  INTERVAL: "VARCHAR",
};

// Names of members and values of an enum stand in quotes, whatever they are.
const words = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\w+/g;

/**
 * The type that a column has in Parquet, also inside of lists and structs. Whole numbers of 128 bits, such as sums, would
 * become floating ones there and lose digits; decimals of 38 digits keep them. An interval would be cut to milliseconds,
 * or not be written where it is negative; its text has all of it.
 */
export function parquetType(type: string): string {
  const kept = type.replace(words, (word) => (Object.hasOwn(forms, word) ? forms[word]! : word));
  if (kept === type) return type;
  // To be cast to, members of a row need names.
  let members = 0;
  return kept.replace(words, (word) => (word === '""' ? `v${(members += 1)}` : word));
}
