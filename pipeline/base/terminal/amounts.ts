const sizes = ["bytes", "kB", "MB", "GB", "TB"];

/** A size for reading, in powers of 1000: `12.3 MB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  for (; value >= 999.95 && unit + 1 < sizes.length; unit++) value /= 1000;
  return `${unit === 0 ? value : value.toFixed(1)} ${sizes[unit]!}`;
}

/** An interval of time for reading, its two largest units: `3 d 4 h`, `12 min 5 s`. */
export function durationText(seconds: number): string {
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
export function plural(count: number, thing: string): string {
  return `${countText(count)} ${thing}${count === 1 ? "" : "s"}`;
}
