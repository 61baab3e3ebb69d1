import { AsyncLocalStorage } from "node:async_hooks";
import { AuditlakeError } from "../../base/errors.ts";

export type Visitor = {
  readonly user: string;
  /** What form tokens are bound to: another one for each person or browser. */
  readonly session: string;
  /** Whether the person may decide on findings and save reports. */
  readonly isResponder: boolean;
};

const visitors = new AsyncLocalStorage<Visitor>();

/** Answers a request on behalf of a person. */
export function runAsVisitor<T>(visitor: Visitor, answer: () => T): T {
  return visitors.run(visitor, answer);
}

/** Returns the person whose request is answered; undefined outside of a request. */
export function getVisitor(): Visitor | undefined {
  return visitors.getStore();
}

/** A visitor requests an action that only responders may do. */
export class ForbiddenError extends AuditlakeError {
  override name = "ForbiddenError";
}

/** Returns the visitor; throws ForbiddenError for a visitor with read access only. */
export function requireResponder(): Visitor {
  const visitor = getVisitor();
  if (visitor?.isResponder === true) return visitor;
  throw new ForbiddenError(
    "you have read-only access; the configuration lists responders in serve.responders",
  );
}
