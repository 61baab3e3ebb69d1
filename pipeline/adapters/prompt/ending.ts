/** Where a text that is being written stands: nothing yet, in the middle of a statement, or at its end. */
export type Standing = "empty" | "open" | "done";

// What can hide a semicolon, closed or still open at the end of the text, and the semicolon itself.
const pieces =
  /(?<hidden>--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|(\$\w*\$)[\s\S]*?(?:\2|$))|(?<end>;)|\s+|[^\s]/g;

/** A statement ends with a semicolon that stands in no quotes and no comment, with nothing but those after it. */
export function standingOf(text: string): Standing {
  let standing: Standing = "empty";
  for (const { groups = {}, 0: piece } of text.matchAll(pieces)) {
    const isComment = piece.startsWith("--") || piece.startsWith("/*");
    if (groups["end"] !== undefined) standing = "done";
    else if (piece.trim() !== "" && !isComment) standing = "open";
    else if (isComment && !isClosed(piece)) standing = standing === "empty" ? "open" : standing;
  }
  return standing;
}

// A comment to the end of its line leaves the next one alone.
function isClosed(comment: string): boolean {
  return comment.startsWith("--") || (comment.endsWith("*/") && comment.length > 3);
}
