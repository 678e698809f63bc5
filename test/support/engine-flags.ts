/**
 * Flags of Node for processes that run the embedded database in tests, and live for seconds. Its WebAssembly stays as the
 * baseline compiler leaves it: optimizing it costs more than such a process can win back, a third of the processor time of
 * every start. As V8 refuses compiled code of other flags, the compiler that optimizes JavaScript waits fifteen times as long
 * as usual, and room for new objects need not grow first: together a tenth. Later releases of Node than 20 do not know the
 * flag, and end with exit code 9 when it is given. The tests of the engine itself run it as users do, without them, and so
 * do those of processes without the database.
 */
export const ENGINE_FLAGS: readonly string[] = [
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=1000000', '--min-semi-space-size=16'] : []),
  '--liftoff-only',
];
