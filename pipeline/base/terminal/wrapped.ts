/** Words as lines of a list, `a, b, c`, each as wide as given; a word that is wider has a line alone. */
export function wrapped(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const [index, word] of words.entries()) {
    const text = index + 1 < words.length ? `${word},` : word;
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + text.length > width) lines.push(text);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return lines;
}

/** A text as lines of the given width, broken at spaces. */
export function wrappedText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A help text whose paragraphs fit the width: lines that begin with a word are joined, and broken where they are full. */
export function fittedHelp(text: string, width: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    const isWide = paragraph.some((line) => line.length > width);
    lines.push(...(isWide ? wrappedText(paragraph.join(" "), width) : paragraph));
    paragraph = [];
  };
  for (const line of text.split("\n"))
    if (/^\S/.test(line)) paragraph.push(line);
    else {
      end();
      lines.push(line);
    }
  end();
  return lines.join("\n");
}
