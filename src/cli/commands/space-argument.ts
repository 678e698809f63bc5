import { type Positional, required } from '../command.ts';

export const SPACE: Positional<string> = { ...required('space', 'Name or id of the space'), completes: 'spaces' };
