/** The value that an object has under a name itself; `constructor` and its kin belong to every object and are none. */
export function getOwn<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
