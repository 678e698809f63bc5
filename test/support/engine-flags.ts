/**
 * Flags of Node for processes that live for seconds, in tests. The compiler that optimizes JavaScript waits fifteen times
 * as long as usual: what it makes of the code of a start is not used often enough to be worth it. That is a tenth of the
 * processor time of a start. Later releases of Node than 20 do not know the flag, and end with exit code 9 when it is given.
 * Room for new objects that need not grow first spares collections, which are another twentieth.
 */
export const START_FLAGS: readonly string[] = process.version.startsWith('v20.')
  ? ['--interrupt-budget=1000000', '--min-semi-space-size=16']
  : [];

/**
 * Flags of Node for processes that run the embedded database in tests. Its WebAssembly stays as the baseline compiler
 * leaves it: optimizing it costs more than the few seconds that such a process lives can win back. That is a third of
 * the processor time of every start. The tests of the engine itself run it as users do, without them.
 */
export const ENGINE_FLAGS: readonly string[] = [...START_FLAGS, '--liftoff-only'];
