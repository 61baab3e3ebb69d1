import { AuditlakeError } from "../errors.ts";

/** A page that is not whole or not a page of records; it is refused, never loaded in part. */
export class PageError extends AuditlakeError {
  override name = "PageError";
}

/** A whole page whose records are not where `records_at` says, but somewhere else. */
export class MisplacedRecords extends PageError {
  override name = "MisplacedRecords";
}
