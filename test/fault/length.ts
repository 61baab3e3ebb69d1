/**
 * The seeds of a generator that is not a figure: few in `make test` and `make fault-short`, all if `make fault` runs
 * its file. Explicit cases run in both.
 */
export function fewOrAll<Few, All>(few: Few, all: All): Few | All {
  return process.env["FAULT_LONG"] === undefined ? few : all;
}
