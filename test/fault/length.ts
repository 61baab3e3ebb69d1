/**
 * What a family plays that is no figure by itself: few in `make fault-short`, all where `make fault` runs its file.
 * Whatever is stated case by case is held in both.
 */
export function fewOrAll<Few, All>(few: Few, all: All): Few | All {
  return process.env["FAULT_LONG"] === undefined ? few : all;
}
