/** The names of a parameter that takes several with commas between them. */
export function listedNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}
