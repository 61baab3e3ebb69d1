import type { SourceConfig } from "../../../schemas/config.ts";
import { PageError } from "../records/error.ts";
import { detectFormat, type PageFormat } from "../records/format.ts";
import { countRecords, looksLikePage, readEnvelopePage } from "../records/each.ts";
import { isBlank } from "../records/text.ts";
import type { HttpAnswer } from "../../base/http/exchange.ts";

/** A page taken apart as far as paging needs it. */
export type OpenedPage = {
  readonly bytes: Buffer;
  readonly format: PageFormat;
  readonly records: number;
  /** The part of the body that holds the records. */
  readonly recordBytes: Buffer;
  readonly envelope: unknown;
  readonly headers: HttpAnswer["headers"];
  readonly url: string;
  readonly serverTimeMs: number | undefined;
  /** False if nothing on the page looks like a record or is declared as one. */
  readonly looksLikeRecords: boolean;
};

const lineTypes =
  /^(application\/(x-)?(ndjson|jsonl|jsonlines|json-seq)|text\/(csv|x-ndjson|ndjson|jsonl))$/;

/** Returns the page of an answer; throws PageError if it is incomplete or not a page of records. */
export function openPage(
  answer: HttpAnswer,
  {
    records_at: recordsAt,
    ignore_signs: ignored,
  }: Pick<SourceConfig["audits"], "records_at" | "ignore_signs">,
): OpenedPage {
  const { status, body: bytes, headers, url, serverTimeMs } = answer;
  const type = readMediaType(answer);
  if (status === 200 && (type === "text/html" || type === "application/xhtml+xml"))
    throw new PageError(
      "the response is an HTML page; expected JSON, newline-delimited JSON or CSV; check the address and the proxy",
    );
  const common = { bytes, headers, url, serverTimeMs };
  // An empty body of newline-delimited JSON means no records; other statuses are opened if configured as empty.
  if (status !== 200 || (isBlank(bytes) && lineTypes.test(type) && answer.isFramed))
    return {
      ...common,
      format: "ndjson",
      records: 0,
      recordBytes: bytes,
      envelope: null,
      looksLikeRecords: true,
    };
  const envelopePage = readEnvelopePage(bytes, recordsAt, ignored);
  const format = envelopePage === undefined ? detectFormat(bytes) : "json";
  if (format !== "json" && !answer.isFramed)
    throw new PageError(
      "the response has neither a length nor an end mark, so it may be incomplete; expected Content-Length, chunks, or one JSON body",
    );
  const looksLikeRecords = recordsAt !== null || looksLikePage(bytes, format);
  return {
    ...common,
    format,
    ...(envelopePage ?? countRecords(bytes, format, recordsAt, ignored)),
    looksLikeRecords,
  };
}

function readMediaType({ headers }: HttpAnswer): string {
  const [type = ""] = String(headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}
