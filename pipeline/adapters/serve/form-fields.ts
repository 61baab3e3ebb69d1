import type { Context } from "hono";
import { UsageError } from "../../base/errors.ts";

const maxBytes = 1_000_000;

/** Reads the fields of a form that was sent. Throws UsageError for one of more than 1 MB. */
export async function readFormFields(c: Context): Promise<Record<string, string>> {
  if (Number(c.req.header("content-length") ?? maxBytes + 1) > maxBytes)
    throw new UsageError(`a form of at most ${maxBytes / 1e6} MB is taken`);
  const body = await c.req.parseBody();
  // Browsers end the lines of a form in CRLF.
  const normalizeLines = (value: unknown): string => String(value).replaceAll("\r\n", "\n");
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, normalizeLines(value)]),
  );
}
