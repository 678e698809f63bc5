// Prints the closing line of a run from vitest's JSON report, and fails when anything failed, was skipped or did not run.
import { readFileSync } from 'node:fs';

const [file = '', status = '1'] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const passed = report.numPassedTests;
const failed =
  report.numFailedTests +
  report.testResults.filter((result) => result.status === 'failed' && result.assertionResults.length === 0).length;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exit(status === '0' && failed === 0 && skipped === 0 && passed > 0 ? 0 : 1);
