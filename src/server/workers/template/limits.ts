/**
 * What one template may use. Everything is counted, not timed, so that the same template ends the same way on every
 * machine; the deadline and the heap of its thread are only the second line of defence.
 */
export const TEMPLATE_LIMITS = {
  /** UTF-16 units of the template itself. */
  templateLength: 262_144,
  /** Brackets, operators and tags inside each other. */
  nesting: 100,
  /** Levels of the parsed tree, which chains such as `a ~ b ~ c` also make deeper. */
  treeDepth: 800,
  /** Levels of evaluation at once, macros that call each other included. */
  evaluationDepth: 1_000,
  /** Evaluated expressions and statements, visited elements, and 64 characters of handled text each count as one. */
  steps: 1_000_000,
  /** UTF-16 units of one text, and of all texts that a template makes. */
  textLength: 4_194_304,
  textTotal: 33_554_432,
  /** Elements of one list or map. */
  elements: 100_000,
  /** Bytes of the result in UTF-8. */
  outputBytes: 1_048_576,
} as const;
