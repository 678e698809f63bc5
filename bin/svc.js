#!/usr/bin/env node
// A plain shim: it must parse on any Node, so that an old one gets a sentence and not a stack trace.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`svc needs Node.js 20.19 or newer; this is ${process.versions.node}.\n`);
  process.exit(78);
}
import('../dist/cli/main.js').then(
  ({ main }) => main(process.argv),
  (error) => {
    if (error?.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes('dist/cli/main.js')) {
      process.stderr.write('svc is not built yet. Run: npm run build\n');
      process.exit(78);
    }
    throw error;
  },
);
