/**
 * The limits of one template. Work is counted, not timed, so that a template has the same outcome on every machine; the
 * timeout and the heap limit of its thread are only the second line of defense.
 */
export const TEMPLATE_LIMITS = {
  /** UTF-16 units of the template itself. */
  templateLength: 262_144,
  /** Nesting of brackets, operators and tags. */
  nesting: 100,
  /** Depth of the parsed tree, to which chains such as `a ~ b ~ c` add too. */
  treeDepth: 800,
  /** Depth of evaluation, including calls of macros. */
  evaluationDepth: 1_000,
  /** An evaluated expression or statement, a visited element, and 64 processed characters count as one step each. */
  steps: 1_000_000,
  /** UTF-16 units of one string, and of all strings that a template creates. */
  textLength: 4_194_304,
  textTotal: 33_554_432,
  /** Elements of one list or map. */
  elements: 100_000,
  /** Bytes of the result in UTF-8. */
  outputBytes: 1_048_576,
} as const;
