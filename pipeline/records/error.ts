import { AuditlakeError } from "../errors.ts";

/** A page that is not whole or not a page of records; it is refused, never loaded in part. */
export class PageError extends AuditlakeError {
  override name = "PageError";
}

/** A whole page that is wrong as it is, such as one whose records lie elsewhere: another try would bring it again. */
export class LastingPageError extends PageError {
  override name = "LastingPageError";
}
