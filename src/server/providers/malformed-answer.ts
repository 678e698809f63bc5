/** An answer of another shape than the protocol's. The message completes "… answered with ". */
export class MalformedAnswer extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'MalformedAnswer';
  }
}
