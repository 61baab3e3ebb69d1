import { AuditlakeError } from "../errors.ts";

/** A page that is not whole or not a page of records; it is refused, never loaded in part. */
export class PageError extends AuditlakeError {
  override name = "PageError";
}
