import type { DenialKind, FieldsSource } from "./source.ts";

export type Generation = "legacy" | "current";

/** One operation that causes an event; `written` keeps the abbreviation a deduced path came from. */
export type Operation = {
  readonly verb: string;
  readonly path: string;
  readonly written: string | null;
};
export type Alias = { readonly name: string; readonly onlyWithPath: boolean };
export type Column = { readonly name: string; readonly optional: boolean };

/** One (area, event, variant) of the reference. */
export type Entry = {
  readonly area: string;
  readonly generation: Generation | null;
  readonly event: string;
  readonly variant: string | null;
  readonly note: string | null;
  readonly operations: readonly Operation[];
  readonly trigger: string | null;
  readonly operationNotShown: boolean;
  readonly columns: readonly Column[];
  readonly aliases: readonly Alias[];
  readonly denialKind: DenialKind | null;
};

export type DeniedResult = {
  readonly eventResult: string;
  readonly denialKind: DenialKind;
  readonly areas: readonly string[];
};

/** The whole reference as plain data, sorted: the same source gives the same bytes. */
export type Catalog = {
  readonly entries: readonly Entry[];
  readonly deniedResults: readonly DeniedResult[];
  readonly fields: FieldsSource["fields"];
};

/** What is wrong with the catalog source, with file and key in the message. */
export class CatalogError extends Error {
  override name = "CatalogError";
}
