import type { Change } from "./place.ts";
import { parse, walk, type Located } from "./tree.ts";

type Replaced = Pick<Change, "kind" | "instead"> & { readonly node: Located };

const operators: ReadonlyMap<unknown, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["&&", "||"],
  ["||", "&&"],
  ["??", "&&"],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["/", "*"],
  ["%", "*"],
]);

const methods: ReadonlyMap<unknown, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["startsWith", "endsWith"],
  ["endsWith", "startsWith"],
  ["floor", "ceil"],
  ["ceil", "floor"],
]);

/** The changes that could be made of a TypeScript file; nearly all pass the check of types. */
export function codeChanges(text: string): Change[] {
  const changes: Change[] = [];
  const slice = ({ start, end }: Located): string => text.slice(start, end);
  walk(parse(text), (node, parent, part) => {
    const operator = operatorChange(node, text);
    if (operator !== undefined) changes.push(operator);
    for (const { kind, node: at, instead } of replace(node, parent, part, slice))
      changes.push({ kind, start: at.start, end: at.end, instead });
  });
  return changes;
}

// Of two operands with only the operator, spaces, brackets and comments between them.
function operatorChange(node: Located, text: string): Change | undefined {
  const { operator, left, right } = node as Located & Record<"left" | "right", Located>;
  const instead = operators.get(operator);
  if (!/^(?:Binary|Logical)Expression$/.test(node.type) || instead === undefined) return undefined;
  if (operator === "+" && [left, right].some(isText)) return undefined;
  const between = text.slice(left.end, right.start);
  if (/\/[/*]/.test(between)) return undefined;
  const start = left.end + between.indexOf(String(operator));
  return {
    kind: `operator ${String(operator)}`,
    start,
    end: start + String(operator).length,
    instead,
  };
}

function isText({ type, value, left, right }: Located): boolean {
  if (type === "BinaryExpression") return isText(left as Located) || isText(right as Located);
  return type === "TemplateLiteral" || typeof value === "string";
}

function replace(
  node: Located,
  parent: Located | undefined,
  part: string,
  slice: (node: Located) => string,
): Replaced[] {
  switch (node.type) {
    case "IfStatement":
    case "ConditionalExpression": {
      const test = node["test"] as Located;
      return [{ kind: "condition", node: test, instead: `!(${slice(test)})` }];
    }
    case "Literal":
      return literal(node, parent, part);
    case "ExpressionStatement":
      return isRemovable(node) ? [{ kind: "statement", node, instead: ";" }] : [];
    case "ReturnStatement":
      return nothing(node["argument"]);
    case "ArrowFunctionExpression":
      return node["expression"] === true ? nothing(node["body"]) : [];
    case "MemberExpression":
      return method(node);
    default:
      return [];
  }
}

// Replaces the result of a function; one without a result would be unchanged.
function nothing(given: unknown): Replaced[] {
  const node = given as Located | null;
  if (node === null || node["name"] === "undefined") return [];
  return [{ kind: "return", node, instead: "(undefined as never)" }];
}

// What a file imports, and the names of parts, are no values; a literal of few is changed among types that name it.
function literal(node: Located, parent: Located | undefined, part: string): Replaced[] {
  if (part === "source" || (part === "key" && parent?.["computed"] !== true)) return [];
  const { value } = node;
  if (typeof value === "boolean") return [{ kind: "boolean", node, instead: String(!value) }];
  if (typeof value === "number") return [{ kind: "number", node, instead: String(value + 1) }];
  if (typeof value === "string")
    return [{ kind: "text", node, instead: value === "" ? '"."' : '""' }];
  return [];
}

function isRemovable({ expression, directive }: Located): boolean {
  const { type } = expression as Located;
  return (
    directive == null &&
    /^(?:Await|Call|Assignment|Update)Expression$/.test(type) &&
    !isSuper(expression)
  );
}

function isSuper(expression: unknown): boolean {
  const { callee } = expression as { readonly callee?: Located };
  return callee?.type === "Super";
}

function method(node: Located): Replaced[] {
  const property = node["property"] as Located;
  const instead = methods.get(property["name"]);
  if (node["computed"] === true || instead === undefined) return [];
  return [{ kind: "method", node: property, instead }];
}
