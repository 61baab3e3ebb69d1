/**
 * The type that a column has in Parquet. Whole numbers of 128 bits, such as sums, would become floating ones there and
 * lose digits; decimals of 38 digits keep them.
 */
export function parquetType(type: string): string {
  return /^U?HUGEINT$/.test(type) ? "DECIMAL(38,0)" : type;
}
