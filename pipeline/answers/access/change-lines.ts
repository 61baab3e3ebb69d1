import type { Comparison, Grant } from "../../core/records/permissions.ts";
import { printable } from "../../base/printable.ts";
import { plural } from "../../base/terminal/amounts.ts";

type Line = { readonly sign: string; readonly label: readonly string[]; readonly ids: string };

/** What a change takes away and adds, a line for each operation with its ids. */
export function changeLines({ removed, added }: Comparison): string {
  return aligned([...linesOf(removed, "- "), ...linesOf(added, "+ ")]);
}

/** Permissions as lines: kind of resource, operation, ids. */
export function grantLines(grants: readonly Grant[]): string {
  return aligned(linesOf(grants, "  "));
}

function linesOf(grants: readonly Grant[], sign: string): Line[] {
  const groups = Map.groupBy(grants, (grant) => JSON.stringify(labelOf(grant)));
  return [...groups.values()].map((group) => ({
    sign,
    label: labelOf(group[0]!),
    ids: group
      .flatMap(({ objectId }) => objectId ?? [])
      .map(printable)
      .join(","),
  }));
}

function aligned(lines: readonly Line[]): string {
  const width = (at: number): number => Math.max(0, ...lines.map(({ label }) => label[at]!.length));
  const [kinds, operations] = [width(0), width(1)];
  return lines
    .map(({ sign, label: [kind = "", operation = "", more = ""], ids }) => {
      const rest = [ids, more].filter((text) => text !== "").join("  ");
      const line = `${sign}${kind.padEnd(kinds)}  ${operation.padEnd(operations)}  ${rest}`;
      return `${line.trimEnd()}\n`;
    })
    .join("");
}

/** How many permissions a change adds, takes away and keeps. */
export function changeText({ added, removed, kept }: Comparison): string {
  return `${plural(added.length, "permission")} added, ${removed.length} taken away, ${kept.length} kept`;
}

function labelOf({ kind, operation, objectName, details }: Grant): string[] {
  const name = objectName === null ? [] : [JSON.stringify(objectName)];
  const more = [...name, details ?? ""].join(" ").trim();
  return [kind, operation ?? "", more].map(printable);
}
