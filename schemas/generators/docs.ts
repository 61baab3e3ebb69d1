import type { Catalog, Entry } from "../catalog.ts";

/** The page of events for people: a section per area, a table row per entry. */
export function toDocs(catalog: Catalog): string {
  const areas = [...new Set(catalog.entries.map((e) => e.area))].sort();
  return [
    "<!-- Generated from schemas/catalog by `make generate`; do not edit. -->",
    "# Events",
    "",
    `${new Set(catalog.entries.map((e) => e.event)).size} event names in ${catalog.entries.length} entries. A path marked † is deduced from an abbreviation.`,
    ...areas.flatMap((area) =>
      writeSection(
        area,
        catalog.entries.filter((e) => e.area === area),
      ),
    ),
    "",
  ].join("\n");
}

function writeSection(area: string, entries: readonly Entry[]): string[] {
  return [
    "",
    `## ${area}`,
    "",
    "| Event | Caused by | Columns |",
    "|---|---|---|",
    ...entries.map(writeRow),
  ];
}

function writeRow(e: Entry): string {
  const name = [
    `\`${e.event}\``,
    e.variant && `(${e.variant})`,
    e.denialKind && `**${e.denialKind}**`,
  ];
  const aliases = e.aliases.map((a) => `also \`${a.name}\``);
  const columns = e.columns.map((c) => (c.optional ? `${c.name}?` : c.name)).join(", ");
  return `| ${[...name, ...aliases].filter(Boolean).join(" ")} | ${listCauses(e)} | ${columns} |`;
}

function listCauses(e: Entry): string {
  const calls = e.operations.map((o) => `\`${o.verb} ${o.path}\`${o.written === null ? "" : " †"}`);
  const rest = [e.trigger, e.operationNotShown ? "not shown" : null].filter((x) => x !== null);
  return [...calls, ...rest].join("<br>");
}
