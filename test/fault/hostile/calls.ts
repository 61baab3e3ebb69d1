import { openInMemory } from "../../../pipeline/core/store/open.ts";
import type { HostileCase, Targets } from "./cases.ts";

type DuckFunction = {
  readonly function_name: string;
  readonly function_type: string;
  readonly parameter_types: readonly (string | null)[] | null;
  /** As many names; those that have none are called `col0`, `col1` and so on. */
  readonly parameters: readonly string[] | null;
  readonly varargs: string | null;
};

const functionsSql = `
  select function_name, function_type, any_value(parameter_types order by parameter_types) as parameter_types,
    any_value(parameters order by parameter_types) as parameters,
    any_value(varargs order by parameter_types) as varargs
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
      isCall: true,
      sql: getCall(one, variant, targets),
    })),
  );
}

function getCall(duckFunction: DuckFunction, variant: Variant, targets: Targets): string {
  const { function_name: name, function_type: type } = duckFunction;
  const values = listArguments(duckFunction, variant, targets).join(", ");
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

// By position the binder would refuse every table function with options.
function listArguments(
  { function_type: kind, parameter_types: types, parameters, varargs }: DuckFunction,
  variant: Variant,
  targets: Targets,
): string[] {
  const all = (types ?? []).flatMap((type, at) => {
    const name = parameters?.[at] ?? "";
    if (repeated.has(name)) return [];
    const value = getValue(type ?? "ANY", variant, targets);
    const isNamed = kind === "table" && !/^col\d+$/.test(name);
    return { isNamed, text: isNamed ? `"${name}" := ${fitting[name] ?? value}` : value };
  });
  return [
    ...all.filter(({ isNamed }) => !isNamed),
    ...(kind === "table" && varargs === "ANY" ? [{ text: getValue("ANY", variant, targets) }] : []),
    ...all.filter(({ isNamed }) => isNamed),
  ].map(({ text }) => text);
}

// Options that repeat `columns` or `delim`: the binder accepts them once.
const repeated = new Set(["column_names", "column_types", "dtypes", "names", "sep", "types"]);

// Options with a form that the binder checks; with others the call would not get further.
const fitting: Readonly<Record<string, string>> = {
  auto_type_candidates: "['VARCHAR']",
  columns: "{'a': 'VARCHAR'}",
  comment: "'#'",
  compression: "'gzip'",
  decimal_separator: "','",
  delim: "';'",
  escape: "'!'",
  hive_types: "{'a': 'VARCHAR'}",
  level: "'DEBUG'",
  max_line_size: "'0'",
  maximum_line_size: "'0'",
  new_line: "'\\n'",
  quote: "'?'",
  rejects_scan: "'scan'",
  rejects_table: "'rejects'",
  storage: "'file'",
  storage_config: "{'path': 'planted.log'}",
  thousands: "'.'",
  union_by_name: "false",
};

function getValue(type: string, variant: Variant, targets: Targets): string {
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
