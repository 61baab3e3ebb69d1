import { openInMemory } from "../../../pipeline/warehouse/open.ts";
import type { HostileCase, Targets } from "./cases.ts";

type DuckFunction = {
  readonly function_name: string;
  readonly function_type: string;
  readonly parameter_types: readonly (string | null)[] | null;
};

const functionsSql = `
  select function_name, function_type, any_value(parameter_types order by parameter_types) as parameter_types
  from duckdb_functions()
  group by function_name, function_type, len(parameter_types)
  order by function_name, function_type, len(parameter_types)`;

type Variant = "paths" | "huge";

/** Every function that the database has, called once with names of files and once with huge arguments. */
export async function generatedCases(targets: Targets): Promise<HostileCase[]> {
  await using database = await openInMemory({ memoryLimit: "200MB", threads: 1 });
  const reader = await database.connection.runAndReadAll(functionsSql);
  const functions = reader.getRowObjectsJson() as unknown as DuckFunction[];
  return functions.flatMap((one) =>
    (["paths", "huge"] as const).map((variant) => ({
      title: `${one.function_type} ${one.function_name} with ${variant}`,
      end: "survived",
      sql: callOf(one, variant, targets),
    })),
  );
}

function callOf(
  { function_name: name, function_type: type, parameter_types: types }: DuckFunction,
  variant: Variant,
  targets: Targets,
): string {
  const values = (types ?? []).map((t) => valueOf(t ?? "ANY", variant, targets)).join(", ");
  const call = `"${name.replaceAll('"', '""')}"(${values})`;
  switch (type) {
    case "pragma":
      return `pragma ${name}${values === "" ? "" : `(${values})`}`;
    case "table":
    case "table_macro":
      return `select * from ${call}`;
    case "aggregate":
      return `select ${call} from range(10)`;
    default:
      return `select ${call}`;
  }
}

function valueOf(type: string, variant: Variant, targets: Targets): string {
  const path = `'${variant === "paths" ? `${targets.dir}/planted` : targets.db}'`;
  const isHuge = variant === "huge";
  if (/^(VARCHAR|ANY|T|K|V|JSON|STRING_LITERAL)$/.test(type))
    return isHuge ? "repeat('x', 100000000)" : path;
  if (/^(TINYINT|SMALLINT|INTEGER|UINTEGER|BIGINT|UBIGINT|HUGEINT|INTEGER_LITERAL)$/.test(type))
    return isHuge ? `${type.includes("BIG") ? "9223372036854775807" : "2147483647"}` : "1";
  if (/^(FLOAT|DOUBLE|DECIMAL.*)$/.test(type)) return isHuge ? "1e308" : "1.5";
  if (type === "BOOLEAN") return "true";
  if (type === "BLOB") return isHuge ? "repeat('x', 100000000)::blob" : `${path}::blob`;
  if (/^(DATE|TIME|TIMESTAMP.*|INTERVAL)$/.test(type))
    return isHuge
      ? `${type} ${extremes[type] ?? "'infinity'"}`
      : `${type} ${ordinary[type] ?? "'2026-01-01'"}`;
  if (type.endsWith("[]")) return isHuge ? "range(100000000)" : `[${path}]`;
  if (type.startsWith("LAMBDA")) return "lambda x: x";
  if (type.startsWith("MAP")) return `map {${path}: ${path}}`;
  if (type.startsWith("STRUCT")) return `{'a': ${path}}`;
  return "null";
}

const ordinary: Readonly<Record<string, string>> = { TIME: "'01:02:03'", INTERVAL: "'1 day'" };
const extremes: Readonly<Record<string, string>> = {
  TIME: "'23:59:59.999999'",
  INTERVAL: "'178000000 days'",
};
