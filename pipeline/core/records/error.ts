import { AuditlakeError } from "../../base/errors.ts";

/** A page that is not whole or not a page of records; it is refused, never loaded in part. */
export class PageError extends AuditlakeError {
  override name = "PageError";
}

/** A page or a file that ends too early, or is no JSON. */
export class CutOffError extends PageError {
  override name = "CutOffError";
}

/** A complete page that cannot be used, such as one whose records lie elsewhere. To ask again would not help. */
export class LastingPageError extends PageError {
  override name = "LastingPageError";
}
