/**
 * The seeds of a generator that is no figure by itself: few in `make test` and `make fault-short`, all where `make fault`
 * runs its file. Cases that are stated one by one run in both.
 */
export function fewOrAll<Few, All>(few: Few, all: All): Few | All {
  return process.env["FAULT_LONG"] === undefined ? few : all;
}
