/** A key in its structured form: `phoneNumberId` for `phone_number_id`. */
export function toCamelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
