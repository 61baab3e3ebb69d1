import { allOf, type FileBytes } from "./bytes.ts";
import { newRecordCutter } from "./cut-records.ts";
import { newTokenizer, textsOf } from "./tokens.ts";

/**
 * The records of a file of JSON in any arrangement as pages of lines: values one after the other, lists of lists,
 * several envelopes, records inside of others. `path` names the members that lead to them. Holds no more in memory than
 * a page and a record. Throws where the file is no JSON.
 */
export async function* arrangedPages(
  file: FileBytes,
  path: readonly string[],
  pageBytes: number,
): AsyncGenerator<Buffer> {
  const tokenize = newTokenizer();
  const cut = newRecordCutter(path);
  let lines = "";
  const take = (text: string | undefined): void => {
    for (const token of tokenize(text)) {
      const record = cut(token);
      if (record !== undefined) lines += `${record}\n`;
    }
  };
  for await (const text of textsOf(allOf(file))) {
    take(text);
    if (lines.length < pageBytes) continue;
    yield Buffer.from(lines);
    lines = "";
  }
  take(undefined);
  if (lines !== "") yield Buffer.from(lines);
}
