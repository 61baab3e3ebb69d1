import {
  type RunnerTask,
  type RunnerTestCase,
  type RunnerTestFile,
  type RunnerTestSuite,
  TestRunner,
} from "vitest";
import { newRandom } from "../../fixtures/random.ts";

const laboratory = /^test\/(browser|fault|lake)\/|\.simulation\.test\.ts$/;

/**
 * Runs a random share of the tests of the laboratory: FAULT_SHARE of each file, drawn by FAULT_SEED. Each test has the
 * same probability, also the only one of a file. Tests that share a `beforeAll` may build on each other: they run
 * together or not at all.
 */
export default class DrawingRunner extends TestRunner {
  onCollected(files: readonly RunnerTestFile[]): void {
    for (const file of files.filter(({ name }) => laboratory.test(name))) drawFrom(file);
  }
}

function drawFrom(file: RunnerTestFile): void {
  const random = newRandom(Number(process.env["FAULT_SEED"]), file.name);
  const rest = listUnits(file);
  let count = Math.floor(rest.length * Number(process.env["FAULT_SHARE"]) + random.next());
  for (; count > 0; count--) rest.splice(random.int(0, rest.length - 1), 1);
  for (const test of rest.flat()) skip(test);
  skipEmpty(file);
}

function listUnits(suite: RunnerTestSuite): RunnerTestCase[][] {
  const units = suite.tasks.flatMap((task) => {
    if (task.type === "suite") return listUnits(task);
    return task.mode === "run" ? [[task]] : [];
  });
  const isPrepared = TestRunner.getSuiteHooks(suite).beforeAll.length > 0;
  return isPrepared ? [units.flat()] : units;
}

// A suite without a test to run prepares nothing.
function skipEmpty(task: RunnerTask): boolean {
  if (task.type === "suite" && task.tasks.map(skipEmpty).every(Boolean)) skip(task);
  return task.mode === "skip";
}

function skip(task: RunnerTask): void {
  task.mode = "skip";
  task.result = { state: "skip" };
}
