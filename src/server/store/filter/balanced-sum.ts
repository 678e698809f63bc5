/** `terms` added up as a balanced tree: thousands of them must not become an expression thousands of levels deep. */
export function balancedSum(terms: string[]): string {
  if (terms.length <= 2) {
    return terms.length === 2 ? `(${terms.join(' + ')})` : (terms[0] ?? '');
  }
  const middle = terms.length >> 1;
  return `(${balancedSum(terms.slice(0, middle))} + ${balancedSum(terms.slice(middle))})`;
}
