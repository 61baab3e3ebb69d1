const sizes = ["bytes", "kB", "MB", "GB", "TB"];

/** A size for reading, in powers of 1000 with three digits: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= (unit === 0 ? 1000 : 999.5) && unit + 1 < sizes.length; unit++) value /= 1000;
  if (unit === 0) return `${value} ${sizes[0]!}`;
  return `${value < 999.5 ? value.toPrecision(3) : String(Math.round(value))} ${sizes[unit]!}`;
}

/** An interval of time for reading, its two largest units: `3 d 4 h`, `12 min 5 s`. */
export function formatDuration(seconds: number): string {
  const units = [
    ["d", 86_400],
    ["h", 3600],
    ["min", 60],
    ["s", 1],
  ] as const;
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [unit, length] of units) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 || parts.length > 0) parts.push(count > 0 ? `${count} ${unit}` : "");
  }
  return parts.slice(0, 2).filter(Boolean).join(" ") || "0 s";
}

/** A whole number with its digits grouped: `1,234,567`. */
export function countText(count: number): string {
  // The language's own way loads the tables of all languages, which takes longer than most answers.
  return String(count).replace(/\B(?=(?:\d{3}){1,9}$)/g, ",");
}

/** A number of things: `1 window`, `2 windows`. */
export function formatCount(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** Words as lines of a list, `a, b, c`, each as wide as given; a word that is wider has a line alone. */
export function wrapWords(words: readonly string[], width: number): string[] {
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
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** A help text whose paragraphs fit the width: lines that begin with a word are joined, and broken where they are full. */
export function fitHelp(text: string, width: number): string {
  const lines: string[] = [];
  let paragraph: string[] = [];
  const end = (): void => {
    const isWide = paragraph.some((line) => line.length > width);
    lines.push(...(isWide ? wrapText(paragraph.join(" "), width) : paragraph));
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
