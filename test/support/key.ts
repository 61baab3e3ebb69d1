/**
 * The key that tests give the service. A run that looks for leaks puts a canary in its place, and then searches
 * everything that the tests have printed or written for it.
 */
export const testKey = process.env["TEST_KEY"] ?? "SECRET-8d1f";
