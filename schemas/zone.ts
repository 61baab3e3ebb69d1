/** Whether the runtime knows a zone by this name, such as `Europe/Berlin`. */
export function isZone(name: string): boolean {
  try {
    return name !== "" && new Intl.DateTimeFormat("en-US", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
