import { checkPiece, type FileBytes } from "./bytes.ts";

/** The lines of a file as pages of about `pageBytes`, split between lines; a last line may have no end. */
export async function* linePages(file: FileBytes, pageBytes: number): AsyncGenerator<Buffer> {
  let left: Buffer = Buffer.alloc(0);
  for (;;) {
    // A long line is read in ever longer steps, so that it is not copied too often.
    const bytes = await file.extend(left, Math.max(pageBytes, left.length));
    if (bytes.length === left.length) break;
    // Only the new bytes are searched: a long line is not looked through again.
    const end = left.length + bytes.subarray(left.length).lastIndexOf(10) + 1;
    if (end === left.length) left = bytes;
    else {
      yield bytes.subarray(0, end);
      left = bytes.subarray(end);
    }
    checkPiece(left.length);
  }
  if (left.length > 0) yield left;
}
