import { randomBytes } from "node:crypto";
import { contract } from "../../../schemas/generated/contract.ts";
import type { DocumentOptions } from "../../base/html/document.ts";
import { fieldText, html, type Markup } from "../../base/html/markup.ts";
import { plainStatement } from "../../answers/report/plain.ts";
import type { Site } from "./site.ts";

/** The field of a statement, and what the page needs that it becomes an editor. */
export type Editor = { readonly field: Markup; readonly page: DocumentOptions };

/** An editor that completes tables, columns and reports; a plain field where its script was not built. */
export function editorOf(site: Site, sql: string): Editor {
  const { editorScript } = site;
  if (editorScript === undefined) return { field: fieldOf(sql), page: {} };
  const nonce = randomBytes(16).toString("base64");
  const known = fieldText(JSON.stringify(knownTo(site)));
  return {
    field: fieldOf(sql, html` data-nonce="${nonce}" data-known="${known}"`),
    page: { scripts: [editorScript], styleNonce: nonce },
  };
}

function fieldOf(sql: string, data?: Markup): Markup {
  return html`<label class="field wide"
    ><span>One SELECT on the published data</span
    ><textarea name="sql" rows="8" spellcheck="false" required${data}>${fieldText(sql)}</textarea>
  </label>`;
}

function knownTo({ found, world }: Site): object {
  const tables = contract.map(({ name, columns }) => [name, columns.map((column) => column.name)]);
  const reports = found().reports.map((report) => ({
    name: report.name,
    title: report.title,
    text: plainStatement(report, world.now()),
  }));
  return { tables: Object.fromEntries(tables) as object, reports };
}
