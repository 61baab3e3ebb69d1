import { filterColumns, type FilterColumn } from "../../../answers/events/filters.ts";
import { html, type Markup } from "../../../base/html/markup.ts";
import { type Address, changeAddress, removeValue, writeSearchUrl } from "./address.ts";
import { describeValue } from "./words.ts";

/** Filters of a search as chips, each with a link that removes it. */
export function writeChips(address: Address, selection: string | undefined): Markup | null {
  const chips = [
    ...filterColumns.flatMap((column) => [
      ...(address[column] ?? []).map((value) => writeValueChip(address, column, value, false)),
      ...(address[`not_${column}`] ?? []).map((value) =>
        writeValueChip(address, column, value, true),
      ),
    ]),
    ...["text", "object"].flatMap((name) =>
      (address[name] ?? []).map((value) =>
        writeChip(name, value, changeAddress(address, { [name]: [] }), false),
      ),
    ),
    ...(selection === undefined
      ? []
      : [writeChip("time", selection, changeAddress(address, { from: [], to: [] }), false)]),
  ];
  if (chips.length === 0) return null;
  const { since = [], until = [] } = address;
  return html`<div class="row chips">
    ${chips}
    <a class="small" href="${writeSearchUrl({ since, until })}">Clear all</a>
  </div>`;
}

function writeValueChip(
  address: Address,
  column: FilterColumn,
  value: string,
  isExcluded: boolean,
): Markup {
  const text = describeValue(column, value);
  return writeChip(column, text, removeValue(address, column, value), isExcluded);
}

function writeChip(name: string, value: string, without: Address, isExcluded: boolean): Markup {
  const label = isExcluded ? `not ${name}` : name;
  return html`<span class="chip${isExcluded ? " no" : ""}"
    ><span>${label}</span><span class="v">${value}</span
    ><a href="${writeSearchUrl(without)}" aria-label="Remove filter ${label} ${value}">×</a></span
  >`;
}
