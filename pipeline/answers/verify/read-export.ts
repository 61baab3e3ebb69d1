import { readFileSync } from "node:fs";
import { AuditlakeError, isCode, UsageError } from "../../base/errors.ts";
import { computeFileSha256 } from "../../base/home/durable.ts";
import { describeUnreadable, readGiven } from "../../base/home/given-file.ts";
import { parseJson } from "../../base/rows/json-text.ts";
import { type ExportMeta, metaSchema } from "../report/meta.ts";
import { getMetaPath } from "../report/write.ts";
import { Mismatch } from "./verdict.ts";

/** Reads the description of an exported file. Throws AuditlakeError for an invalid one. */
export function readMeta(
  file: string,
  given: string | undefined,
): { readonly meta: ExportMeta; readonly path: string } {
  const path = given ?? getMetaPath(file);
  const text = given === undefined ? readBeside(path) : readGiven(path, "--meta").toString("utf8");
  const { data } = metaSchema.safeParse(parseJson(text));
  if (data !== undefined) return { meta: data, path };
  throw new AuditlakeError(
    `${path} names no head of a log, SQL and parameters to verify by; expected a file that report run --meta wrote`,
  );
}

/** Compares a file with its description. Throws Mismatch. */
export async function checkFile(file: string, { sha256 }: ExportMeta): Promise<string> {
  const found = await computeFileSha256(file).catch((error: unknown) => {
    throw new UsageError(`cannot read ${file}: ${describeUnreadable(error)}`);
  });
  if (found === sha256) return `SHA-256 ${sha256}`;
  throw new Mismatch(
    "file changed since export",
    `its SHA-256 is ${found}, exported was ${sha256}`,
  );
}

function readBeside(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    throw new AuditlakeError(
      `${path} does not exist; name the description of the file with --meta`,
    );
  }
}
