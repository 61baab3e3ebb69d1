import { addAbortSignal } from "node:stream";
import { AuditlakeError, exitCode, UsageError } from "../../base/errors.ts";
import { readGiven } from "../../base/home/given-file.ts";
import type { World } from "../../base/world.ts";

const maxStatementBytes = 1_000_000;

/**
 * The text of a statement: the argument, else the file, else stdin where that is no terminal. Throws UsageError where
 * there is none, two, one that is no UTF-8, or more than 1 MB of it. Throws AuditlakeError (exit code 130) when
 * interrupted while stdin has not ended.
 */
export async function readStatement(
  argument: string | undefined,
  file: string | undefined,
  world: World,
): Promise<string> {
  if (argument !== undefined && file !== undefined)
    throw new UsageError("the query stands in the argument and in --file; give one of the two");
  if (argument !== undefined) return argument;
  if (file !== undefined) return decode(readGiven(file, "the query"), file);
  if (world.stdin.isTTY)
    throw new UsageError("no query given; write it as the argument, name a --file, or pipe it in");
  return decode(await readAll(world), "stdin");
}

async function readAll({ stdin, signal }: World): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Whatever writes there may take its time.
  const stream = addAbortSignal(signal, stdin);
  try {
    for await (const chunk of stream) {
      chunks.push(Buffer.from(chunk as Uint8Array));
      bytes += chunks.at(-1)!.length;
      if (bytes > maxStatementBytes) break;
    }
  } catch (error) {
    if (signal.aborted) throw new AuditlakeError("interrupted", exitCode.interrupted);
    throw error;
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, where: string): string {
  if (bytes.length > maxStatementBytes)
    throw new UsageError(`the query from ${where} is larger than ${maxStatementBytes / 1e6} MB`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`the query from ${where} is no UTF-8 text`);
  }
}
