import { commandText } from "../../base/command-line.ts";
import type { Catalog, Entry } from "../../../schemas/catalog.ts";
import { UsageError } from "../../base/errors.ts";

/** Whether somebody asks by a path, with or without its verb, and not by a name. */
export function isPath(text: string): boolean {
  return text.includes("/");
}

/**
 * The entries of the events that a request causes, each with only the operations that fit. The request is `DELETE
 * /v4/queries/12`, the path alone, or the path as the reference writes it. Throws UsageError where none does.
 */
export function entriesByPath(catalog: Catalog, text: string): Entry[] {
  const [, verb, path] = /^(?:([A-Za-z]+)\s+)?(\S+)$/.exec(text.trim()) ?? [];
  if (path === undefined)
    throw new UsageError(
      `${JSON.stringify(text)}: expected a path, or a verb and a path such as "GET /v4/audits"`,
    );
  const wanted = segmentsOf(path);
  const found = catalog.entries.flatMap((entry) => {
    const operations = entry.operations.filter(
      (each) =>
        (verb === undefined || each.verb === verb.toUpperCase()) &&
        fits(segmentsOf(each.path), wanted),
    );
    return operations.length === 0 ? [] : [{ ...entry, operations }];
  });
  if (found.length > 0) return found;
  throw new UsageError(
    `no event of the reference is caused by ${JSON.stringify(text)}; ${commandText("catalog", "coverage")} shows what the data has beside the reference`,
  );
}

function segmentsOf(path: string): string[] {
  return path
    .replace(/[?#].*$/s, "")
    .replace(/^\/+|(?<!\/)\/+$/g, "")
    .replace(/(\.[A-Za-z0-9]+){1,2}$/, "")
    .split("/");
}

// A parameter of the reference stands for any segment, a star at its end for any number of them.
function fits(template: readonly string[], wanted: readonly string[]): boolean {
  const isOpen = template.at(-1) === "*";
  if (isOpen ? wanted.length < template.length : wanted.length !== template.length) return false;
  return template.every((part, i) => part === "*" || /^[:{]/.test(part) || part === wanted[i]);
}
