/** One way to go on. */
export interface Candidate {
  /** As it is typed, without quotes. */
  readonly value: string;
  /** One line; "" when there is nothing to say. */
  readonly text: string;
}
