/** An answer of another shape than the protocol's. The message completes "… answered with ". */
export class MalformedAnswer extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = 'MalformedAnswer';
  }
}
