import { globSync, readFileSync } from "node:fs";
import { parseAst } from "rolldown/parseAst";
import { expect, it } from "vitest";
import { projectPath } from "./docs/pages.ts";

// One definition of each function: two with the same code, regardless of their names and local names, are one
// function. The same applies to types with the same members.

type Node = { readonly type: string; readonly [part: string]: unknown };

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// Types, positions and marks without effect at run time.
const notRun =
  /^(?:start|end|raw|typeAnnotation|returnType|typeParameters|typeArguments|optional|declare|definite)$/;

/** The names that are bound inside of a node, by parameters, variables and functions. */
function boundIn(value: unknown, names = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const each of value) boundIn(each, names);
  if (!isNode(value)) return names;
  if (/Function/.test(value.type)) for (const each of value["params"] as Node[]) bind(each, names);
  if (/^(?:FunctionDeclaration|VariableDeclarator)$/.test(value.type)) bind(value["id"], names);
  if (value.type === "CatchClause") bind(value["param"], names);
  for (const part of Object.values(value)) boundIn(part, names);
  return names;
}

function bind(pattern: unknown, names: Set<string>): void {
  if (!isNode(pattern)) return;
  if (pattern.type === "Identifier") names.add(String(pattern["name"]));
  const parts = [pattern["elements"], pattern["properties"], pattern["value"], pattern["left"]];
  for (const part of [...parts.flat(), pattern["argument"]]) bind(part, names);
}

/** Writes the code as text; a local name is represented by its position. */
function formatText(
  value: unknown,
  bound: ReadonlySet<string>,
  places: Map<string, number>,
): string {
  if (Array.isArray(value))
    return `[${value.map((each) => formatText(each, bound, places)).join()}]`;
  if (!isNode(value)) return typeof value === "bigint" ? `${value}n` : JSON.stringify(value);
  if (/^TS(?:As|NonNull|Satisfies)/.test(value.type))
    return formatText(value["expression"], bound, places);
  const name = value.type === "Identifier" ? String(value["name"]) : undefined;
  if (name !== undefined && !bound.has(name)) return name;
  if (name !== undefined) return `$${places.get(name) ?? getPlace(name, places)}`;
  const parts = Object.entries(value).filter(([part]) => !notRun.test(part));
  return `{${parts.map(([part, each]) => `${part}:${formatText(each, bound, places)}`).join()}}`;
}

function getPlace(name: string, places: Map<string, number>): number {
  places.set(name, places.size);
  return places.size - 1;
}

type Found = { readonly name: string; readonly does: string };

function declaredIn(text: string): Node[] {
  const { body } = parseAst(text, { lang: "ts", preserveParens: false }) as unknown as {
    body: Node[];
  };
  return body.map((statement) => (statement["declaration"] ?? statement) as Node);
}

/** The functions at the top of a file. */
function functionsIn(text: string): Found[] {
  return declaredIn(text).flatMap((declared) => {
    if (declared.type === "FunctionDeclaration") return [find(declared["id"] as Node, declared)];
    const variables = (declared["declarations"] ?? []) as Node[];
    return variables
      .filter(({ init }) => isNode(init) && /Function/.test(init.type))
      .map(({ id, init }) => find(id as Node, init as Node));
  });
}

function find({ name }: Node, { params, body, async: waits, generator }: Node): Found {
  const block = isNode(body) && body.type === "BlockStatement" ? body["body"] : returning(body);
  const places = new Map([[String(name), 0]]);
  const bound = boundIn({ type: "Function", params, block }).add(String(name));
  return { name: String(name), does: formatText([waits, generator, params, block], bound, places) };
}

/** Lists the types of a file that have two members or more, in any order. */
function typesIn(text: string): Found[] {
  return declaredIn(text).flatMap((declared) => {
    const { type, members } = (declared["typeAnnotation"] ?? {}) as Partial<Node>;
    if (type !== "TSTypeLiteral" || (members as Node[]).length < 2) return [];
    // Here the types are what counts.
    const texts = (members as Node[]).map((member) =>
      JSON.stringify(member, (key, value: unknown) => (/^(?:start|end)$/.test(key) ? 0 : value)),
    );
    return [{ name: String((declared["id"] as Node)["name"]), does: texts.sort().join() }];
  });
}

const returning = (argument: unknown): Node[] => [{ type: "ReturnStatement", argument }];

function copiesAmong(
  texts: ReadonlyMap<string, string>,
  foundIn: (text: string) => Found[] = functionsIn,
): string[] {
  const homes = new Map<string, string[]>();
  for (const [file, text] of texts)
    for (const { name, does } of foundIn(text))
      homes.set(does, [...(homes.get(does) ?? []), `${file}: ${name}`]);
  return [...homes.values()].filter((all) => all.length > 1).map((all) => all.join(" = "));
}

it("finds a copy with other names, with other types and as an expression", () => {
  const one = `export function sum(list: readonly number[]): number {
    return list.reduce((all, each) => all + each, start);
  }`;
  const copy = "const total = (of: number[]) => of.reduce((a, b) => a + b, start as number);";
  const other = "const total = (of: number[]) => of.reduce((a, b) => b + a, start);";
  const among = (text: string): string[] =>
    copiesAmong(
      new Map([
        ["one.ts", one],
        ["two.ts", text],
      ]),
    );
  expect(among(copy)).toEqual(["one.ts: sum = two.ts: total"]);
  expect(among(other)).toEqual([]);
});

it("finds a type that has the same members in another order", () => {
  const one = "export type A = { readonly a: string; /** Its b. */ readonly b: number };";
  const among = (text: string): string[] =>
    copiesAmong(
      new Map([
        ["one.ts", one],
        ["two.ts", text],
      ]),
      typesIn,
    );
  expect(among("type B = { readonly b: number; readonly a: string };")).toEqual([
    "one.ts: A = two.ts: B",
  ]);
  expect(among("type B = { readonly b: number; readonly a: number };")).toEqual([]);
});

it.each([
  ["function", functionsIn],
  ["type", typesIn],
])("finds one definition for each %s", (_what, foundIn) => {
  const files = globSync("{pipeline,schemas}/**/*.ts", {
    cwd: projectPath("."),
    exclude: (path) => path.includes("generated"),
  });
  const texts = new Map(files.map((file) => [file, readFileSync(projectPath(file), "utf8")]));
  expect(files.length).toBeGreaterThan(500);
  expect(copiesAmong(texts, foundIn)).toEqual([]);
});
