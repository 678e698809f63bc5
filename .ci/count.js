// Prints a line for each run below a directory and the closing line of all together; fails when anything failed, was skipped
// or did not run. A run has NAME.status, and NAME.json of vitest when it is one of its runs; else it counts as one test.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const [directory = ''] = process.argv.slice(2);
const names = readdirSync(directory)
  .filter((name) => name.endsWith('.status'))
  .map((name) => name.slice(0, -'.status'.length))
  .sort();

/** @param {string} name */
function countOf(name) {
  const isGood = readFileSync(join(directory, `${name}.status`), 'utf8').trim() === '0';
  const file = join(directory, `${name}.json`);
  if (!existsSync(file)) return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0, failures: [] };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const passed = report.numPassedTests;
  const skipped = report.numPendingTests + report.numTodoTests;
  const broken = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ result) =>
      result.status === 'failed' && result.assertionResults.length === 0,
  );
  const failed = report.numFailedTests + broken.length;
  const failures = report.testResults.flatMap(failuresOf);
  // Ended badly without a failed test, or without any test: that is a failure too.
  return { passed, failed: failed === 0 && (!isGood || passed === 0) ? 1 : failed, skipped, failures };
}

/**
 * The failed tests of a file, each with the first lines of its reason, so that the end of the log shows the causes.
 *
 * @param {{ name: string, message: string, status: string, assertionResults: { status: string, fullName: string,
 * failureMessages: string[] }[] }} result
 */
function failuresOf(result) {
  const file = relative(process.cwd(), result.name);
  const tests = result.assertionResults.filter((test) => test.status === 'failed');
  if (tests.length === 0) return result.status === 'failed' ? [`${file}\n${firstLines(result.message)}`] : [];
  return tests.map((test) => `${file} > ${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`);
}

/** @param {string} text */
const firstLines = (text) =>
  text
    .split('\n')
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join('\n');

/** @param {{ passed: number, failed: number, skipped: number }} count */
const shown = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`;

const total = { passed: 0, failed: 0, skipped: 0 };
for (const name of names) {
  const count = countOf(name);
  for (const failure of count.failures) console.log(`FAILED in ${name}: ${failure}`);
  console.log(`${name}: ${shown(count)}`);
  total.passed += count.passed;
  total.failed += count.failed;
  total.skipped += count.skipped;
}
console.log(shown(total));
process.exit(total.failed === 0 && total.skipped === 0 && total.passed > 0 ? 0 : 1);
