/**
 * Flags of Node for processes that run the embedded database in tests. Its WebAssembly stays as the baseline compiler
 * leaves it: optimizing it costs more than the few seconds that such a process lives can win back. That is a third of
 * the processor time of every start. The tests of the engine itself run it as users do, without them.
 */
export const ENGINE_FLAGS: readonly string[] = ['--liftoff-only'];
