import { choices, type FilterColumn, filterColumns } from "../../../answers/events/filters.ts";
import { escapeField, html, type Markup } from "../../../base/html/markup.ts";
import {
  type Address,
  changeAddress,
  removeValue,
  searchParameters,
  writeSearchUrl,
} from "./address.ts";
import { columnTitles, describeValue } from "./facets.ts";

/** The form of a search: a text, and fields that add a filter each. Filters that there are remain. */
export function writeSearchForm(address: Address, isOpen: boolean): Markup {
  const own = ["text", "object", "below_time", "below_key"];
  const hidden = searchParameters.flatMap((name) =>
    own.includes(name)
      ? []
      : (address[name] ?? []).map(
          (value) => html`<input type="hidden" name="${name}" value="${escapeField(value)}" />`,
        ),
  );
  const text = address["text"]?.[0] ?? "";
  return html`<form role="search" action="/events" class="events">
    ${hidden}
    <div class="row">
      <input
        class="grow"
        type="search"
        name="text"
        value="${escapeField(text)}"
        aria-label="Text in names, paths, values and query texts"
        placeholder="Text in names, paths, values, query texts"
        autocomplete="off"
      />
      <button class="btn pri">Search</button>
      <a class="btn only-n" href="#filters">Filters</a>
    </div>
    <details class="more" ${isOpen ? html` open` : null}>
      <summary class="small">More filters</summary>
      <div class="form">
        ${writeField("person", "e-mail or user id", "people")}
        ${writeField("address", "203.0.113.7")} ${writeField("event", "query_run")}
        ${writeObject(address)} ${writeField("database", "sales", "databases")}
        ${writeChoice("outcome")} ${writeChoice("kind")}
        <button class="btn">Add filters</button>
      </div>
      <p class="small muted">
        Fields add a filter; several values of a column mean any of them. In the address:
        <span class="mono">person=a&amp;person=b</span> includes,
        <span class="mono">not_person=c</span> excludes, <span class="mono">from</span> and
        <span class="mono">to</span> select a part of the range; <span class="mono">none</span>
        means not recorded.
      </p>
    </details>
  </form>`;
}

function writeField(column: FilterColumn, hint: string, list?: string): Markup {
  return html`<label class="field"
    ><span>${columnTitles[column]}</span
    ><input
      name="${column}"
      placeholder="${hint}"
      autocomplete="off"
      ${list === undefined ? null : html` list="${list}"`}
  /></label>`;
}

function writeObject(address: Address): Markup {
  return html`<label class="field"
    ><span>Object</span
    ><input
      name="object"
      value="${escapeField(address["object"]?.[0] ?? "")}"
      placeholder="id, name or table"
      autocomplete="off"
  /></label>`;
}

function writeChoice(column: FilterColumn): Markup {
  const options = (choices[column] ?? []).map(
    (value) => html`<option value="${value}">${describeValue(column, value)}</option>`,
  );
  return html`<label class="field"
    ><span>${columnTitles[column]}</span
    ><select name="${column}">
      <option value="">any</option>
      ${options}
    </select></label
  >`;
}

export function writeSuggestions(id: string, values: readonly string[]): Markup {
  return html`<datalist id="${id}">
    ${values.map((value) => html`<option value="${escapeField(value)}"></option>`)}
  </datalist>`;
}

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
